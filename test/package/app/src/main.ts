import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';
import { RemindersHandler } from './reminders.handler.js';

async function main(): Promise<void> {
  const app = await NestFactory.create(AppModule, { logger: ['error', 'warn'] });
  await app.listen(0, '127.0.0.1');
  const reminded = app.get(RemindersHandler).next();
  await fetch(`${await app.getUrl()}/reminders`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ text: 'tea', delay: '10ms' }),
  });
  const text = await reminded;
  await app.close();
  console.log(`reminded of ${text}, and closed`);
}

void main();
