import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type CallHandler, Injectable, type NestInterceptor, type Type, UseInterceptors } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { context, propagation, SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { AlwaysOffSampler } from '@opentelemetry/sdk-trace-base';
import { Redis } from 'ioredis';
import {
  type DelayedTask,
  DelayQueueModule,
  type DelayQueueModuleOptions,
  DelayQueueProducer,
  Idempotent,
  OnDelayedTask,
  type OnDelayedTaskOptions,
  type TaskTracer,
} from 'nestjs-delay-queue';
import { OpenTelemetryTracer } from 'nestjs-delay-queue/opentelemetry';
import { DelayQueueTestingModule } from 'nestjs-delay-queue/testing';
import type { Observable } from 'rxjs';
import { RedisServer, type SharedRedis } from '../support/redis-server.js';
import { rejection } from './support/producer-fixture.js';
import { nextEvent } from './support/next-event.js';
import { identity, linked, SpanRecorder } from './support/span-recorder.js';
import { type TestApp, TestApps } from './support/test-apps.js';

const TYPE = 't';
const QUICK = { maxRetries: 3, backoff: { type: 'fixed', delay: 1, jitter: 0 } } as const;

const apps = new TestApps();
let redis: SharedRedis;
let prefix: string;
let recorder: SpanRecorder;
let queues = 0;

beforeAll(async () => {
  redis = await RedisServer.shared();
}, 30_000);
beforeEach(() => {
  prefix = `${redis.prefix}-${++queues}`;
  recorder = new SpanRecorder();
});
afterEach(async () => {
  await apps.closeAll();
  await recorder.close();
}, 30_000);
afterAll(() => redis.release(), 30_000);

type Work = (task: DelayedTask<string>) => unknown;

function handlerOf(work: Work, options: OnDelayedTaskOptions = QUICK): Type {
  @Injectable()
  class Handler {
    @OnDelayedTask(TYPE, options)
    handle(_payload: unknown, task: DelayedTask<string>): unknown {
      return work(task);
    }
  }
  return Handler;
}

/** One process of a deployment on the shared server. */
function boot(providers: readonly Type[] = [], queue: DelayQueueModuleOptions = {}): Promise<TestApp> {
  const tracing = new OpenTelemetryTracer();
  const storage = queue.embedded === true ? {} : { connection: redis.url };
  return apps.boot({ queue: { ...storage, prefix, tracing, ...queue }, providers: [...providers] });
}

describe.each([
  ['two applications on one Redis', false],
  ['one application on the embedded store', true],
])('tasks in %s', (_, embedded) => {
  let producing: TestApp;
  let consuming: TestApp;

  const bootBoth = async (handler: Type): Promise<void> => {
    consuming = await boot([handler], { embedded });
    producing = embedded ? consuming : await boot();
  };

  it('are run in a span that links to the one of the call, and is no part of its trace', async () => {
    await bootBoth(handlerOf(() => recorder.mark('charge a card')));
    const request = await recorder.inSpan('POST /orders', async (span) => {
      await producing.producer.schedule(TYPE, {}, { delay: 20, id: 'order:1' });
      return identity(span.spanContext());
    });
    const processed = await recorder.first('process t');
    const scheduled = await recorder.first('schedule t');
    const charged = await recorder.first('charge a card');

    expect(scheduled).toMatchObject({
      kind: SpanKind.PRODUCER,
      parentSpanContext: request,
      status: { code: SpanStatusCode.UNSET },
      instrumentationScope: { name: 'nestjs-delay-queue' },
    });
    expect(scheduled.attributes).toEqual({
      'messaging.system': 'nestjs_delay_queue',
      'messaging.operation.name': 'schedule',
      'messaging.operation.type': 'send',
      'messaging.destination.name': TYPE,
      'messaging.message.id': 'order:1',
      'delay_queue.prefix': prefix,
      'delay_queue.outcome': 'created',
    });
    expect(processed).toMatchObject({ kind: SpanKind.CONSUMER, status: { code: SpanStatusCode.UNSET } });
    expect(processed.parentSpanContext).toBeUndefined();
    expect(processed.attributes).toEqual({
      'messaging.system': 'nestjs_delay_queue',
      'messaging.operation.name': 'process',
      'messaging.operation.type': 'process',
      'messaging.destination.name': TYPE,
      'messaging.message.id': 'order:1',
      'delay_queue.prefix': prefix,
      'delay_queue.delivery_number': 1,
      'delay_queue.failures': 0,
      'delay_queue.lateness_ms': expect.any(Number),
      'delay_queue.outcome': 'completed',
    });
    expect(linked(processed)).toEqual([identity(scheduled.spanContext())]);
    expect(processed.spanContext().traceId).not.toBe(request.traceId);
    expect(charged.parentSpanContext).toMatchObject(identity(processed.spanContext()));
  }, 30_000);

  it('have a span for each try, all of them linked to the call, with what went wrong', async () => {
    const error = new TypeError('no such card');
    await bootBoth(
      handlerOf(async ({ deliveries }) => {
        await Promise.resolve();
        recorder.mark(`try ${deliveries}`);
        if (deliveries < 3) throw error;
      }),
    );
    await producing.producer.schedule(TYPE, {}, { delay: 0, id: 'x' });
    const tries = await recorder.named('process t', 3);
    const scheduled = await recorder.first('schedule t');
    expect(scheduled.parentSpanContext).toBeUndefined();
    for (const [index, span] of tries.entries()) {
      expect(linked(span)).toEqual([identity(scheduled.spanContext())]);
      const mark = await recorder.first(`try ${index + 1}`);
      expect(mark.parentSpanContext).toMatchObject(identity(span.spanContext()));
    }
    expect(tries.map(({ attributes }) => attributes)).toMatchObject([
      { 'delay_queue.delivery_number': 1, 'delay_queue.outcome': 'retried', 'error.type': 'TypeError' },
      { 'delay_queue.delivery_number': 2, 'delay_queue.outcome': 'retried', 'delay_queue.failures': 1 },
      { 'delay_queue.delivery_number': 3, 'delay_queue.outcome': 'completed', 'delay_queue.failures': 2 },
    ]);
    expect(tries[0]?.attributes['delay_queue.delay_ms']).toBe(1);
    expect(tries[0]?.status).toEqual({ code: SpanStatusCode.ERROR, message: 'no such card' });
    expect(tries[0]?.events).toMatchObject([
      { name: 'exception', attributes: { 'exception.type': 'TypeError', 'exception.message': 'no such card' } },
    ]);
    expect(tries[2]).toMatchObject({ status: { code: SpanStatusCode.UNSET }, events: [] });
  }, 30_000);

  it('link to the call also after they were dead', async () => {
    let fail = true;
    await bootBoth(
      // What is thrown need not be an error.
      handlerOf(() => (fail ? Promise.reject('out of stock') : undefined)),
    );
    const buried = nextEvent(consuming.events, 'buried', 'x');
    await producing.producer.schedule(TYPE, {}, { delay: 0, id: 'x', maxRetries: 0 });
    await buried;
    fail = false;
    await recorder.inSpan('POST /redrive', () => producing.admin.redrive(TYPE, 'x'));
    const [dead, redriven] = await recorder.named('process t', 2);
    const scheduled = await recorder.first('schedule t');
    expect(dead?.attributes).toMatchObject({
      'delay_queue.outcome': 'buried',
      'delay_queue.reason': 'retries used up',
      'error.type': 'buried',
    });
    expect(dead?.status).toEqual({ code: SpanStatusCode.ERROR, message: 'out of stock' });
    expect(redriven?.attributes).toMatchObject({ 'delay_queue.outcome': 'completed' });
    expect(redriven?.links).toMatchObject([{ context: identity(scheduled.spanContext()) }]);
    expect(redriven?.parentSpanContext).toBeUndefined();
  }, 30_000);

  it('of one call have one span, to which the spans of all of them link', async () => {
    await bootBoth(handlerOf(() => undefined));
    const items = ['a', 'b', 'c'].map((id) => ({ payload: {}, id, delay: 0, headers: { tenant: id } }));
    await producing.producer.scheduleMany(TYPE, items);
    const processed = await recorder.named('process t', 3);
    const scheduled = await recorder.first('schedule t');
    expect(await recorder.named('schedule t')).toHaveLength(1);
    expect(scheduled.attributes).toMatchObject({ 'messaging.batch.message_count': 3, 'delay_queue.prefix': prefix });
    expect(scheduled.attributes).not.toHaveProperty(['messaging.message.id']);
    for (const span of processed) expect(linked(span)).toEqual([identity(scheduled.spanContext())]);
    const ids = processed.map(({ attributes }) => attributes['messaging.message.id']);
    expect(new Set(ids)).toEqual(new Set(['a', 'b', 'c']));
    expect(new Set(processed.map((span) => span.spanContext().traceId)).size).toBe(3);
  }, 30_000);

  it('run in their span with all that Nest and an idempotency key put around the handler', async () => {
    @Injectable()
    class Timing implements NestInterceptor {
      intercept(_context: unknown, next: CallHandler): Observable<unknown> {
        recorder.mark('interceptor');
        return next.handle();
      }
    }
    @Injectable()
    class Handler {
      @OnDelayedTask(TYPE)
      @Idempotent({
        key: () => {
          recorder.mark('key');
          return `${prefix}:charge`;
        },
      })
      @UseInterceptors(Timing)
      async handle(): Promise<void> {
        await new Promise((resolve) => setImmediate(resolve));
        recorder.mark('handler');
      }
    }
    await bootBoth(Handler);
    const completed = nextEvent(consuming.events, 'completed', 'x');
    await producing.producer.schedule(TYPE, {}, { delay: 0, id: 'x' });
    await completed;
    const skipped = nextEvent(consuming.events, 'skipped', 'y');
    await producing.producer.schedule(TYPE, {}, { delay: 0, id: 'y' });
    await skipped;
    const first = await recorder.first('process t');
    const [, second] = await recorder.named('process t', 2);
    for (const name of ['key', 'interceptor', 'handler']) {
      const mark = await recorder.first(name);
      expect(mark.parentSpanContext).toMatchObject(identity(first.spanContext()));
    }
    expect(second?.attributes).toMatchObject({ 'delay_queue.outcome': 'skipped' });
    expect(second?.status).toEqual({ code: SpanStatusCode.UNSET });
  }, 30_000);

  it('carry baggage to their handler', async () => {
    let tenant: unknown;
    await bootBoth(
      handlerOf(() => {
        tenant = propagation.getActiveBaggage()?.getEntry('tenant')?.value;
      }),
    );
    const baggage = propagation.createBaggage({ tenant: { value: 'acme' } });
    await context.with(propagation.setBaggage(context.active(), baggage), () =>
      producing.producer.schedule(TYPE, {}, { delay: 0, id: 'x' }),
    );
    await recorder.first('process t');
    expect(tenant).toBe('acme');
  }, 30_000);

  it('carry the context that their producer has given them, and the call links to it', async () => {
    let seen: unknown;
    await bootBoth(
      handlerOf(({ headers }) => {
        seen = headers;
      }),
    );
    const outer = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
    const headers = { traceparent: `00-${outer.traceId}-${outer.spanId}-01`, tenant: 'acme' };
    await producing.producer.schedule(TYPE, {}, { delay: 0, id: 'x', headers });
    const processed = await recorder.first('process t');
    const scheduled = await recorder.first('schedule t');
    expect(linked(processed)).toEqual([outer]);
    expect(linked(scheduled)).toEqual([outer]);
    expect(seen).toEqual(headers);
  }, 30_000);
});

describe('the span of a call', () => {
  it('says why the call was refused, and what became of a task that was there already', async () => {
    const { producer } = await boot([], { embedded: true });
    await producer.schedule(TYPE, {}, { delay: '1h', id: 'x' });
    await producer.schedule(TYPE, {}, { delay: '1h', id: 'x' });
    await rejection(producer.schedule(TYPE, { at: new Date() }, { delay: '1h' }));
    await rejection(producer.scheduleMany(TYPE, [{ payload: {}, delay: 'soon' as '1h' }]));
    const [created, duplicate, refused, many] = await recorder.named('schedule t', 4);
    expect(created?.attributes['delay_queue.outcome']).toBe('created');
    expect(duplicate?.attributes['delay_queue.outcome']).toBe('duplicate');
    expect(refused?.attributes['error.type']).toBe('InvalidPayloadError');
    expect(refused?.status).toMatchObject({
      code: SpanStatusCode.ERROR,
      message: expect.stringMatching(/^payload.at/),
    });
    expect(many?.attributes['error.type']).toBe('InvalidArgumentError');
    expect(many?.status.message).toContain('items[0].delay');
  });

  it('is linked to over a month', async () => {
    const queue = { embedded: true, tracing: new OpenTelemetryTracer() };
    const builder = Test.createTestingModule({
      imports: [DelayQueueModule.forRoot(queue)],
      providers: [handlerOf(() => recorder.mark('work'))],
    });
    const app = await DelayQueueTestingModule.override(builder).compile();
    await app.init();
    try {
      await recorder.inSpan('a request', () => app.get(DelayQueueProducer).schedule(TYPE, {}, { delay: '30 days' }));
      await DelayQueueTestingModule.of(app).clock.advance('30 days');
      const processed = await recorder.first('process t');
      const scheduled = await recorder.first('schedule t');
      const work = await recorder.first('work');
      expect(linked(processed)).toEqual([identity(scheduled.spanContext())]);
      expect(processed.attributes['delay_queue.lateness_ms']).toBe(0);
      expect(work.parentSpanContext).toMatchObject(identity(processed.spanContext()));
    } finally {
      await app.close();
    }
  });
});

describe('what is written to Redis', () => {
  /** The envelope of a task, without its life, which is another one each time. */
  const written = async (app: TestApp, options: object = {}): Promise<string> => {
    await app.producer.schedule(TYPE, { orderId: '1' }, { delay: '1h', id: 'x', onDuplicate: 'replace', ...options });
    const client = new Redis(redis.url);
    try {
      const envelope = await client.hget(`{${prefix}:${TYPE}:0}:task`, 'x');
      return envelope?.replace(/(?<=},)"[0-9a-z]{10,}"/, 'LIFE') ?? 'nothing';
    } finally {
      client.disconnect();
    }
  };

  it('is the same as ever without tracing', async () => {
    const app = await boot([], { tracing: undefined });
    expect(await written(app)).toBe('[1,{"orderId":"1"},LIFE]');
    expect(await written(app, { maxRetries: 2 })).toBe('[1,{"orderId":"1"},LIFE,{"maxRetries":2}]');
    expect(recorder.spans).toEqual([]);
  }, 30_000);

  it('is the same where the application has no SDK', async () => {
    await recorder.close();
    expect(await written(await boot())).toBe('[1,{"orderId":"1"},LIFE]');
  }, 30_000);

  it('has the context of the call beside the headers of the task', async () => {
    const app = await boot();
    const envelope = await written(app, { headers: { tenant: 'acme' } });
    const scheduled = await recorder.first('schedule t');
    const { traceId, spanId } = scheduled.spanContext();
    expect(JSON.parse(envelope.replace('LIFE', '"LIFE"'))).toEqual([
      1,
      { orderId: '1' },
      'LIFE',
      null,
      { tenant: 'acme', traceparent: `00-${traceId}-${spanId}-01` },
    ]);
  }, 30_000);
});

describe('a trace that is not sampled', () => {
  it('is carried all the same, and the handler runs', async () => {
    await recorder.close();
    recorder = new SpanRecorder({ sampler: new AlwaysOffSampler() });
    let seen: Readonly<Record<string, string>> = {};
    const { producer, events } = await boot([
      handlerOf(({ headers }) => {
        seen = headers;
      }),
    ]);
    const completed = nextEvent(events, 'completed', 'x');
    await producer.schedule(TYPE, {}, { delay: 0, id: 'x' });
    await completed;
    expect(seen['traceparent']).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
    expect(recorder.spans).toEqual([]);
  }, 30_000);
});

describe('a tracer that throws', () => {
  const fail = (): never => {
    throw new Error('no tracing today');
  };
  const broken = { within: fail, headersFor: fail, succeeded: fail, failed: fail, ended: fail };

  it.each<[string, TaskTracer]>([
    ['at once', { scheduling: fail, running: fail }],
    ['later', { scheduling: () => broken, running: () => broken }],
  ])(
    '%s changes nothing, and is logged once',
    async (_, tracing) => {
      const { producer, events, log } = await boot(
        [
          handlerOf(({ deliveries }) => {
            if (deliveries === 1) throw new Error('not yet');
          }),
        ],
        { tracing },
      );
      const completed = ['a', 'b', 'c'].map((id) => nextEvent(events, 'completed', id));
      await producer.schedule(TYPE, {}, { delay: 0, id: 'a' });
      await producer.scheduleMany(TYPE, [
        { payload: {}, delay: 0, id: 'b' },
        { payload: {}, delay: 0, id: 'c' },
      ]);
      expect((await rejection(producer.schedule(TYPE, {}, { delay: -1 }))).field).toBe('delay');
      expect(await Promise.all(completed)).toMatchObject([{ deliveries: 2 }, { deliveries: 2 }, { deliveries: 2 }]);
      expect(log.matching('warn', 'no tracing today')).toHaveLength(1);
      expect(log.matching('error', '')).toEqual([]);
    },
    30_000,
  );
});
