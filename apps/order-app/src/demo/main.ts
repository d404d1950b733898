import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DelayQueueEvents } from 'nestjs-delay-queue';
import { serveApiDocs } from '../api-docs.js';
import { type ShopConfig, shopConfig } from '../config/shop-config.js';
import { CancellationFaults } from './cancellation-faults.js';
import { checkReport } from './check-report.js';
import { Customer } from './customer.js';
import { DemoModule } from './demo.module.js';
import { playScenes } from './scenes.js';
import { Timeline } from './timeline.js';

/** Plays the demo on a shop of its own; true when all is as it must be. */
async function runDemo(): Promise<boolean> {
  console.log('Starting the shop …');
  const app = await NestFactory.create(DemoModule, { logger: ['warn', 'error', 'fatal'] });
  try {
    serveApiDocs(app);
    await app.listen(0, '127.0.0.1');
    return await play(app);
  } finally {
    await app.close();
  }
}

async function play(app: INestApplication): Promise<boolean> {
  const shopUrl = await app.getUrl();
  const { orderTimeoutMs, redisUrl, databaseUrl } = app.get<ShopConfig>(shopConfig.KEY);
  console.log(`The shop is open at ${shopUrl}; orders must be paid within ${orderTimeoutMs} ms.`);
  console.log(`Delayed tasks: ${redisUrl === null ? 'in the memory of this process' : 'on the Redis of REDIS_URL'}.`);
  console.log(`Orders: ${databaseUrl === null ? 'PostgreSQL inside this process' : 'the server of DATABASE_URL'}.\n`);
  const timeline = new Timeline(console.log);
  const watching = app.get(DelayQueueEvents).events$.subscribe((event) => timeline.see(event));
  const report = await playScenes({
    customer: new Customer(shopUrl),
    timeline,
    faults: app.get(CancellationFaults),
  });
  watching.unsubscribe();

  const checks = checkReport(report);
  const broken = checks.filter(({ ok }) => !ok);
  console.log('');
  for (const { ok, text } of checks) console.log(`  ${ok ? 'ok   ' : 'WRONG'}  ${text}`);
  console.log(broken.length === 0 ? `\nAll ${checks.length} checks hold.` : `\n${broken.length} checks do not hold.`);
  return broken.length === 0;
}

process.env['ORDER_TIMEOUT'] = process.env['DEMO_ORDER_TIMEOUT'] ?? '3s';
process.env['ORDER_TIMEOUT_RETRY_DELAY'] = '300ms';
// On a shared Redis, another shop must not take the demo's tasks.
process.env['QUEUE_PREFIX'] = 'shop-demo';

runDemo().then(
  (succeeded) => {
    process.exitCode = succeeded ? 0 : 1;
  },
  (error: unknown) => {
    console.error('The demo broke off.', error);
    process.exitCode = 1;
  },
);
