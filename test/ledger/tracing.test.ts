import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SpanStatusCode } from '@opentelemetry/api';
import { OpenTelemetryTracer } from 'nestjs-delay-queue/opentelemetry';
import { identity, linked, SpanRecorder } from '../nest/support/span-recorder.js';
import { LedgerSite, START_MS, TYPE } from './support/ledger-site.js';

const TEST_MS = 60_000;
const SCHEDULE = `schedule ${TYPE}`;
const PROCESS = `process ${TYPE}`;

let site: LedgerSite;
let recorder: SpanRecorder;

beforeAll(async () => {
  site = await LedgerSite.open();
}, START_MS);
beforeEach(() => {
  recorder = new SpanRecorder();
});
afterEach(async () => {
  await site.afterEach();
  await recorder.close();
}, START_MS);
afterAll(() => site.close(), START_MS);

const traced = () => ({ tracing: new OpenTelemetryTracer() });

describe('tasks of the ledger', () => {
  it(
    'link from the handler that completes them in a transaction to the call in another',
    async () => {
      const { producer } = await site.boot({
        queue: traced(),
        work: (task) =>
          site.transaction(async (tx) => {
            await task.complete(tx);
            recorder.mark('work');
          }),
      });
      const request = await recorder.inSpan('POST /orders', async (span) => {
        await site.transaction((tx) => producer.schedule(TYPE, {}, { delay: 20, id: 'a', tx }));
        return identity(span.spanContext());
      });
      const processed = await recorder.first(PROCESS);
      const scheduled = await recorder.first(SCHEDULE);
      expect(scheduled.parentSpanContext).toMatchObject(request);
      expect(scheduled.attributes).toMatchObject({ 'messaging.message.id': 'a', 'delay_queue.outcome': 'staged' });
      expect(linked(processed)).toEqual([identity(scheduled.spanContext())]);
      expect(processed.attributes).toMatchObject({ 'delay_queue.outcome': 'completed' });
      expect((await recorder.first('work')).parentSpanContext).toMatchObject(identity(processed.spanContext()));
    },
    TEST_MS,
  );

  it(
    'link to the call also when another process has brought them to the store, and show no header of the queue',
    async () => {
      const dying = await site.boot({ queue: traced() });
      await site.transaction(async (tx) => {
        await dying.producer.schedule(TYPE, {}, { delay: 0, id: 'a', tx, headers: { tenant: 'acme' } });
        await dying.app.close();
      });
      let seen: Readonly<Record<string, string>> = {};
      const { seen: events } = await site.boot({ queue: traced(), work: ({ headers }) => void (seen = headers) });
      await site.untilState('a', 'done');
      const processed = await recorder.first(PROCESS);
      const scheduled = await recorder.first(SCHEDULE);
      expect(events).toContainEqual({ kind: 'restored', type: TYPE, id: 'a', by: 'relay' });
      expect(linked(processed)).toEqual([identity(scheduled.spanContext())]);
      expect(Object.keys(seen).toSorted((a, b) => a.localeCompare(b))).toEqual(['tenant', 'traceparent']);
    },
    TEST_MS,
  );

  it(
    'say on the span of the call what the database said',
    async () => {
      const { producer } = await site.boot({ queue: traced() });
      const broken = site.transaction(async (tx) => {
        await tx.query('SELECT * FROM nowhere').catch(() => undefined);
        await producer.schedule(TYPE, {}, { delay: 0, id: 'a', tx });
      });
      await expect(broken).rejects.toThrow('transaction is aborted');
      const scheduled = await recorder.first(SCHEDULE);
      expect(scheduled.status).toMatchObject({
        code: SpanStatusCode.ERROR,
        message: expect.stringContaining('transaction is aborted'),
      });
      expect(scheduled.attributes).toMatchObject({ 'messaging.message.id': 'a', 'error.type': 'error' });
    },
    TEST_MS,
  );
});
