import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Test, type TestingModule } from '@nestjs/testing';
import { type DelayQueueTesting, DelayQueueTestingModule } from 'nestjs-delay-queue/testing';
import { WebhooksModule } from './webhooks.module.js';
import { WebhooksService } from './webhooks.service.js';

interface Answer {
  readonly status: number;
  readonly headers?: Record<string, string>;
}

interface Call {
  readonly atMs: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

describe('webhooks', () => {
  let app: TestingModule;
  let queue: DelayQueueTesting;
  let webhooks: WebhooksService;
  let server: Server;
  let url: string;
  let answers: Answer[];
  let calls: Call[];

  beforeEach(async () => {
    app = await Test.createTestingModule({ imports: [DelayQueueTestingModule.forRoot(), WebhooksModule] }).compile();
    await app.init();
    queue = DelayQueueTestingModule.of(app);
    webhooks = app.get(WebhooksService);
    [answers, calls] = [[], []];
    server = createServer((request, response) => {
      void text(request).then((body) => {
        calls.push({ atMs: queue.clock.nowMs(), headers: request.headers, body: JSON.parse(body) });
        const { status, headers = {} } = answers.shift() ?? { status: 204 };
        response.writeHead(status, headers).end();
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  });

  afterEach(async () => {
    await app.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  /** Times between the calls, in milliseconds of the queue's clock. */
  const waits = (): readonly number[] =>
    calls.slice(1).map(({ atMs }, index) => atMs - (calls[index]?.atMs ?? Number.NaN));

  it('are called once when they answer well, however often the same thing is told', async () => {
    for (let time = 0; time < 3; time++) await webhooks.call('order-1', { url, body: { order: 1 } });
    await queue.clock.advance('1h');
    expect(calls).toMatchObject([{ body: { order: 1 }, headers: { 'idempotency-key': 'webhook:order-1' } }]);
  });

  it('are called again after waits that double, over the network and back, until they answer well', async () => {
    answers = [500, 502, 503, 500].map((status) => ({ status }));
    await webhooks.call('order-1', { url, body: { order: 1 } });
    await queue.clock.advance('5m');
    expect(calls).toHaveLength(5);
    for (const [index, waitMs] of waits().entries()) {
      const fullMs = 5_000 * 2 ** index;
      expect(waitMs).toBeGreaterThanOrEqual(0.8 * fullMs);
      expect(waitMs).toBeLessThanOrEqual(fullMs);
    }
    expect(new Set(calls.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(queue.tasks.runs('webhook').at(-1)).toMatchObject({ delivery: 5, outcome: 'completed' });
  });

  it('are called again when they ask for it, if they say when', async () => {
    answers = [{ status: 429, headers: { 'retry-after': '120' } }];
    await webhooks.call('order-1', { url, body: {} });
    await queue.clock.advance('5m');
    expect(waits()).toEqual([120_000]);
  });

  it('that refuse the call are dead letters at once', async () => {
    answers = [{ status: 404 }];
    await webhooks.call('order-1', { url, body: {} });
    await queue.clock.advance('1 day');
    expect(calls).toHaveLength(1);
    expect(await queue.tasks.dead('webhook')).toMatchObject([{ reason: 'The webhook answered 404.' }]);
  });

  it('that cannot be reached are tried for about a day', async () => {
    await webhooks.call('order-1', { url: 'http://127.0.0.1:1/hook', body: {} });
    await queue.clock.advance('12h');
    await queue.tasks.expectScheduled('webhook', { id: 'webhook:order-1' });
    await queue.clock.advance('24h');
    expect(queue.tasks.runs()).toHaveLength(31);
    expect(await queue.tasks.dead('webhook')).toMatchObject([{ reason: 'retries used up' }]);
  });
});
