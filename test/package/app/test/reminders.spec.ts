import 'reflect-metadata';
import type { INestApplication } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { DelayQueueTestingModule } from 'nestjs-delay-queue/testing';
import { AppModule } from '../src/app.module.js';
import { RemindersHandler } from '../src/reminders.handler.js';

async function listen(app: INestApplication): Promise<string> {
  await app.listen(0, '127.0.0.1');
  return `${await app.getUrl()}/reminders`;
}

async function post(url: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
}

const ADAPTERS = { express: () => new ExpressAdapter(), fastify: () => new FastifyAdapter() };

describe.each(Object.entries(ADAPTERS))('over %s', (_name, adapter) => {
  it('runs on Redis what was scheduled over HTTP', async () => {
    const testing = await Test.createTestingModule({ imports: [AppModule] }).compile();
    const app = testing.createNestApplication(adapter());
    const url = await listen(app);
    const reminded = app.get(RemindersHandler).next();
    const answer = await post(url, { text: 'tea', delay: '20ms' });
    expect([answer.status, await answer.json()]).toEqual([201, { status: 'created' }]);
    expect(await reminded).toBe('tea');
    await app.close();
  });

  it('passes half an hour at once, without Redis', async () => {
    const builder = Test.createTestingModule({ imports: [AppModule] });
    const testing = await DelayQueueTestingModule.override(builder).compile();
    const app = testing.createNestApplication(adapter());
    const url = await listen(app);
    const { clock, tasks } = DelayQueueTestingModule.of(app);
    await post(url, { text: 'pay', delay: '30m' });
    await clock.advance('29m');
    expect(await (await fetch(url)).json()).toEqual([]);
    await clock.advance('1m');
    expect(await (await fetch(url)).json()).toEqual(['pay']);
    expect(tasks.runs('reminder')).toMatchObject([{ outcome: 'completed' }]);
    await app.close();
  });
});
