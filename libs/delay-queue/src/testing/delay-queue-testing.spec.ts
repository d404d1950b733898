import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as elapse } from 'node:timers/promises';
import { type DynamicModule, Injectable, type Type } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { DelayQueueModule } from '../nest/delay-queue.module.js';
import { DelayQueueProducer } from '../nest/delay-queue-producer.js';
import { DelayQueueAdmin } from '../nest/delay-queue-admin.js';
import { getDelayQueueToken } from '../nest/get-delay-queue-token.js';
import { Idempotent } from '../nest/idempotent.decorator.js';
import { OnDelayedTask, type OnDelayedTaskOptions } from '../nest/on-delayed-task.decorator.js';
import type { DelayedTask } from '../task/delayed-task.js';
import { TaskOutcome } from '../task/task-outcome.js';
import { DelayQueueTestClock } from './delay-queue-test-clock.js';
import { DelayQueueTestingModule } from './delay-queue-testing.module.js';
import { HandlersStillRunError } from './handlers-still-run-error.js';

const NOON = new Date('2026-01-01T12:00:00Z');
const MINUTE_MS = 60_000;

let app: TestingModule | undefined;
afterEach(async () => {
  jest.useRealTimers();
  await app?.close();
  app = undefined;
});

type Run = (task: DelayedTask) => unknown;

/** A class with one handler. */
function handler(type: string, run: Run, options: OnDelayedTaskOptions = {}): Type {
  @Injectable()
  class Handler {
    @OnDelayedTask(type, options)
    handle(_payload: unknown, task: DelayedTask): unknown {
      return run(task);
    }
  }
  return Handler;
}

interface Parts {
  readonly providers?: Type[];
  readonly imports?: DynamicModule[];
  readonly patience?: number;
}

/** An application whose queue is under test, and its clock at noon. */
async function boot({ providers = [], imports, patience = 10_000 }: Parts = {}) {
  const clock = new DelayQueueTestClock({ startAt: NOON, patience });
  const modules = imports ?? [DelayQueueModule.forRoot({ connection: undefined })];
  const builder = Test.createTestingModule({ imports: modules, providers });
  app = await DelayQueueTestingModule.override(builder, { clock }).compile();
  await app.init();
  const producer = imports === undefined ? app.get(DelayQueueProducer) : (undefined as never);
  return {
    app,
    producer,
    ...(imports === undefined ? DelayQueueTestingModule.of(app) : { clock, tasks: undefined as never }),
  };
}

const after = (ms: number): Date => new Date(NOON.getTime() + ms);

describe('clock.advance', () => {
  it('runs what falls due at its very time, retries and back-off included', async () => {
    let failures = 2;
    const failing = handler(
      't',
      () => {
        if (failures-- > 0) throw new Error('not yet');
      },
      { backoff: { type: 'exponential', base: '5s', jitter: 0 } },
    );
    const { clock, tasks, producer } = await boot({ providers: [failing] });
    await producer.schedule('t', { n: 1 }, { delay: '30m', id: 'a' });
    await clock.advance('29m');
    expect(tasks.runs()).toEqual([]);
    await clock.advance('2m');
    expect(clock.now()).toEqual(after(31 * MINUTE_MS));
    expect(tasks.runs('t')).toEqual([
      expect.objectContaining({
        id: 'a',
        payload: { n: 1 },
        delivery: 1,
        outcome: 'retried',
        handler: 'Handler.handle',
      }),
      expect.objectContaining({ id: 'a', delivery: 2, outcome: 'retried', error: expect.stringContaining('not yet') }),
      expect.objectContaining({ id: 'a', delivery: 3, outcome: 'completed', error: null, nextDueAt: null }),
    ]);
    const times = tasks.runs().map(({ startedAt }) => startedAt.getTime() - NOON.getTime());
    expect(times).toEqual([30 * MINUTE_MS, 30 * MINUTE_MS + 5_000, 30 * MINUTE_MS + 15_000]);
    expect(tasks.runs()[0]?.nextDueAt).toEqual(after(30 * MINUTE_MS + 5_000));
  });

  it('runs tasks of all types and queues in the order of their due times', async () => {
    const order: string[] = [];
    const note: Run = ({ type, id }) => order.push(`${type} ${id}`);
    const { app: made, clock } = await boot({
      imports: [
        DelayQueueModule.forRoot({ connection: undefined }),
        DelayQueueModule.forRoot({ name: 'reports', connection: undefined }),
      ],
      providers: [handler('a', note), handler('b', note), handler('r', note, { queue: 'reports' })],
    });
    const main = made.get(DelayQueueProducer);
    const reports = made.get<DelayQueueProducer>(getDelayQueueToken('reports'));
    await main.schedule('a', null, { delay: '3m', id: '3' });
    await reports.schedule('r', null, { delay: '2m', id: '2' });
    await main.schedule('b', null, { delay: '4m', id: '4' });
    await main.schedule('b', null, { delay: '1m', id: '1' });
    await reports.schedule('r', null, { delay: '5m', id: '5' });
    await clock.advance('1h');
    expect(order).toEqual(['b 1', 'r 2', 'a 3', 'b 4', 'r 5']);
    const started = DelayQueueTestingModule.of(made, 'reports')
      .tasks.runs()
      .map(({ startedAt }) => startedAt);
    expect(started).toEqual([after(2 * MINUTE_MS), after(5 * MINUTE_MS)]);
  });

  it('runs what handlers schedule, and what is due at the present', async () => {
    const chain = handler('t', async ({ id }) => {
      const { producer } = booted;
      if (id.length < 4) await producer.schedule('t', null, { delay: id.length === 2 ? 0 : '10m', id: `${id}x` });
    });
    const booted = await boot({ providers: [chain] });
    await booted.producer.schedule('t', null, { delay: 0, id: 'x' });
    await booted.clock.advance(0);
    expect(booted.tasks.runs().map(({ id }) => id)).toEqual(['x']);
    await booted.clock.advance('1h');
    const times = booted.tasks.runs().map(({ id, startedAt }) => [id, startedAt.getTime() - NOON.getTime()]);
    expect(times).toEqual([
      ['x', 0],
      ['xx', 10 * MINUTE_MS],
      ['xxx', 10 * MINUTE_MS],
      ['xxxx', 20 * MINUTE_MS],
    ]);
  });

  it('drains any number of tasks that are due at one moment', async () => {
    const { clock, tasks, producer } = await boot({
      providers: [handler('t', () => new Promise((resolve) => setImmediate(resolve)))],
    });
    await producer.scheduleMany(
      't',
      Array.from({ length: 1_000 }, (_, n) => ({ payload: n, delay: '1m' as const })),
    );
    await clock.advance('1m');
    expect(tasks.runs()).toHaveLength(1_000);
    expect(
      tasks.runs().every(({ outcome, startedAt }) => outcome === 'completed' && +startedAt === +after(MINUTE_MS)),
    ).toBe(true);
    expect(await tasks.waiting('t')).toEqual([]);
  });

  it('goes over 30 days in a moment', async () => {
    const { clock, tasks, producer } = await boot({ providers: [handler('t', () => undefined)] });
    await producer.schedule('t', null, { at: after(30 * 24 * 60 * MINUTE_MS) });
    const beganAt = performance.now();
    await clock.advance('30 days');
    expect(tasks.runs()).toHaveLength(1);
    expect(tasks.runs()[0]?.startedAt).toEqual(after(30 * 24 * 60 * MINUTE_MS));
    // It takes a fraction of a second; the rest is for a busy machine.
    expect(performance.now() - beganAt).toBeLessThan(10_000);
  });

  it('goes to a point in time', async () => {
    const { clock, tasks, producer } = await boot({ providers: [handler('t', () => undefined)] });
    await producer.schedule('t', null, { delay: '1h' });
    await clock.advanceTo(after(60 * MINUTE_MS - 1));
    expect(tasks.runs()).toEqual([]);
    await clock.advanceTo(after(60 * MINUTE_MS));
    expect(tasks.runs()).toHaveLength(1);
    await expect(clock.advanceTo(NOON)).rejects.toMatchObject({ code: 'invalid_argument', field: 'time' });
    await expect(clock.advanceTo(new Date(Number.NaN))).rejects.toMatchObject({ field: 'time' });
  });

  it.each([-1, Number.NaN, '30', undefined])('refuses %p', async (by) => {
    const { clock } = await boot();
    await expect(clock.advance(by as number)).rejects.toMatchObject({ code: 'invalid_argument', field: 'by' });
    expect(clock.now()).toEqual(NOON);
  });

  it('works under fake timers of the test runner', async () => {
    jest.useFakeTimers();
    const { clock, tasks, producer } = await boot({ providers: [handler('t', () => undefined)] });
    await producer.schedule('t', null, { delay: '1h' });
    await clock.advance('1h');
    expect(tasks.runs()).toHaveLength(1);
    await app?.close();
  });
});

describe('handlers that wait for something real', () => {
  let server: Server | undefined;

  afterEach(async () => {
    server?.closeAllConnections();
    await new Promise((resolve) => (server === undefined ? resolve(null) : server.close(resolve)));
    server = undefined;
  });

  async function slowServer(answerAfterMs: number): Promise<string> {
    server = createServer((_, response) => {
      setTimeout(() => response.end('done'), answerAfterMs);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  it('are waited for, while the clock stands still', async () => {
    const url = await slowServer(20);
    const fetched: string[] = [];
    const fetching = handler('t', async ({ id }) => {
      for (let call = 0; call < 3; call++) fetched.push(`${id} ${await (await fetch(url)).text()}`);
    });
    const { clock, tasks, producer } = await boot({ providers: [fetching] });
    for (const id of ['a', 'b', 'c']) await producer.schedule('t', null, { delay: `${id.charCodeAt(0) - 96}m`, id });
    await clock.advance('1h');
    expect(fetched.map((line) => line.slice(0, 1)).join('')).toBe('aaabbbccc');
    for (const { startedAt, endedAt, outcome } of tasks.runs()) {
      expect([outcome, endedAt]).toEqual(['completed', startedAt]);
    }
  });

  it('may be many at once', async () => {
    const url = await slowServer(5);
    let ended = 0;
    const fetching = handler(
      't',
      () =>
        fetch(url)
          .then((answer) => answer.text())
          .then(() => ended++),
      { concurrency: 7 },
    );
    const { clock, producer } = await boot({ providers: [fetching] });
    await producer.scheduleMany(
      't',
      Array.from({ length: 50 }, () => ({ payload: null, delay: '1m' as const })),
    );
    await clock.advance('1m');
    expect(ended).toBe(50);
  });

  it('may wait for what the test does meanwhile', async () => {
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    const { clock, tasks, producer } = await boot({ providers: [handler('t', () => gate)] });
    await producer.schedule('t', null, { delay: '1m', id: 'x' });
    const advanced = clock.advance('1h');
    while (tasks.runs().length === 0) await elapse(1);
    expect(clock.now()).toEqual(after(MINUTE_MS));
    expect(await producer.cancel('t', 'x')).toMatchObject({ status: 'running' });
    expect(await tasks.running('t')).toHaveLength(1);
    release();
    await advanced;
    expect(clock.now()).toEqual(after(60 * MINUTE_MS));
    expect(tasks.runs()).toEqual([expect.objectContaining({ outcome: 'completed', endedAt: after(MINUTE_MS) })]);
  });

  it('stop the clock with an error that names them when they do not end', async () => {
    const endless = handler('t', () => new Promise(() => undefined));
    const { clock, tasks, producer } = await boot({ providers: [endless], patience: 50 });
    await producer.schedule('t', null, { delay: '1m', id: 'x' });
    const error: unknown = await clock.advance('1h').catch((reason: unknown) => reason);
    if (!(error instanceof HandlersStillRunError)) throw new Error('expected an error', { cause: error });
    expect(error.handlers).toEqual([{ handler: 'Handler.handle', type: 't', id: 'x' }]);
    expect(error.message).toContain("Handler.handle with 'x' of 't'");
    expect(clock.now()).toEqual(after(MINUTE_MS));
    expect(tasks.runs()).toEqual([expect.objectContaining({ outcome: 'running', endedAt: null })]);
  });

  it('may wait for the clock itself, for their time limit, when they are not waited for', async () => {
    const signals: AbortSignal[] = [];
    const hanging = handler(
      't',
      ({ signal }) => {
        signals.push(signal);
        return signals.length === 1 ? new Promise(() => undefined) : undefined;
      },
      { handlerTimeout: '30s', backoff: { type: 'fixed', delay: '10s', jitter: 0 } },
    );
    const { clock, tasks, producer } = await boot({ providers: [hanging], patience: 50 });
    await producer.schedule('t', null, { delay: '1m' });
    await clock.advance('1m', { waitForHandlers: false });
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    await clock.advance('30s', { waitForHandlers: false });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    // What was settled for its time was over is not waited for.
    await clock.advance('10s');
    expect(tasks.runs().map(({ outcome }) => outcome)).toEqual(['retried', 'completed']);
    expect(tasks.runs()[0]?.error).toContain('handler timeout');
  });
});

describe('app.close', () => {
  it('aborts a handler that does not end, and gives its task back, without the real shutdown time', async () => {
    const signals: AbortSignal[] = [];
    const endless = handler('t', ({ signal }) => {
      signals.push(signal);
      return new Promise(() => undefined);
    });
    const { app: made, tasks, clock, producer } = await boot({ providers: [endless], patience: 50 });
    await producer.schedule('t', null, { delay: 0 });
    await clock.advance(0, { waitForHandlers: false });
    const beganAt = performance.now();
    await made.close();
    // The shutdown time is 25 s.
    expect(performance.now() - beganAt).toBeLessThan(15_000);
    expect(signals[0]?.aborted).toBe(true);
    expect(tasks.runs()[0]?.outcome).toBe('released');
    expect(clock.pendingTimers).toBe(0);
  });

  it('waits for a handler that ends, and leaves the time as it is', async () => {
    let ended = false;
    const slow = handler('t', async () => {
      await elapse(50);
      ended = true;
    });
    const { app: made, tasks, clock, producer } = await boot({ providers: [slow] });
    await producer.schedule('t', null, { delay: 0 });
    await clock.advance(0, { waitForHandlers: false });
    expect(ended).toBe(false);
    await made.close();
    expect(ended).toBe(true);
    expect(tasks.runs()[0]?.outcome).toBe('completed');
    expect(clock.now()).toEqual(NOON);
  });
});

describe('tasks', () => {
  it('shows what waits, by due time, over all partitions', async () => {
    const clock = new DelayQueueTestClock({ startAt: NOON });
    const imports = [DelayQueueTestingModule.forRoot({ clock, types: { t: { partitions: 5 } } })];
    app = await Test.createTestingModule({ imports }).compile();
    await app.init();
    const { tasks } = DelayQueueTestingModule.of(app);
    const items = Array.from({ length: 40 }, (_, n) => ({ payload: { n }, delay: (40 - n) * 1_000, id: `task-${n}` }));
    await app.get(DelayQueueProducer).scheduleMany('t', items);
    const waiting = await tasks.waiting('t');
    expect(waiting.map(({ payload }) => payload)).toEqual(items.map(({ payload }) => payload).toReversed());
    expect(waiting[0]).toMatchObject({ id: 'task-39', dueAt: after(1_000), failures: 0 });
  });

  it('shows dead letters, and the outcomes of runs', async () => {
    const outcomes = handler(
      't',
      ({ id, deliveries }) => {
        if (id === 'buried') return TaskOutcome.bury('cannot be');
        if (id === 'snoozed' && deliveries === 1) return TaskOutcome.snooze('5m');
        if (id === 'failed') throw new Error('broken');
        return undefined;
      },
      { maxRetries: 0 },
    );
    const { clock, tasks, producer } = await boot({ providers: [outcomes] });
    for (const [index, id] of ['buried', 'snoozed', 'failed'].entries()) {
      await producer.schedule('t', null, { delay: (index + 1) * 1_000, id });
    }
    await clock.advance('1m');
    expect(await tasks.dead('t')).toEqual([
      expect.objectContaining({ id: 'buried', reason: 'cannot be' }),
      expect.objectContaining({ id: 'failed', reason: 'retries used up', error: expect.stringContaining('broken') }),
    ]);
    expect(tasks.runs().map(({ id, outcome, reason }) => [id, outcome, reason])).toEqual([
      ['buried', 'buried', 'cannot be'],
      ['snoozed', 'snoozed', null],
      ['failed', 'buried', 'retries used up'],
    ]);
    expect(await tasks.waiting('t')).toEqual([expect.objectContaining({ id: 'snoozed', dueAt: after(302_000) })]);
    await clock.advance('5m');
    expect(tasks.runs().map(({ outcome }) => outcome)).toEqual(['buried', 'snoozed', 'buried', 'completed']);
    expect(tasks.runs('other')).toEqual([]);
  });

  it('asserts what is scheduled and what is not, and lists what is instead', async () => {
    const { clock, tasks, producer } = await boot();
    await clock.advance('1s');
    await producer.schedule('t', { order: 1 }, { delay: '30m', id: 'a' });
    const dueAt = after(30 * MINUTE_MS + 1_000);
    expect(await tasks.expectScheduled('t', { id: 'a', payload: { order: 1 }, in: '30m', at: dueAt })).toMatchObject({
      id: 'a',
    });
    await tasks.expectScheduled('t');
    await tasks.expectNotScheduled('t', { payload: { order: 2 } });
    await tasks.expectNotScheduled('other');
    for (const expected of [{ id: 'b' }, { payload: {} }, { in: '31m' as const }, { at: NOON }]) {
      const failure = await tasks.expectScheduled('t', expected).catch((error: unknown) => error);
      expect(failure).toMatchObject({ name: 'AssertionError', code: 'ERR_ASSERTION' });
      expect(String(failure)).toContain(`'a' due ${dueAt.toISOString()} with { order: 1 }`);
    }
    await expect(tasks.expectScheduled('other')).rejects.toThrow('waiting: none');
    await expect(tasks.expectNotScheduled('t', { id: 'a' })).rejects.toThrow("A task of 't' waits that should not.");
    await expect(tasks.expectScheduled('t', { delay: 1 } as object)).rejects.toMatchObject({ field: 'delay' });
    await expect(tasks.expectScheduled('t', { in: '30' as '30m' })).rejects.toMatchObject({ field: 'in' });
  });

  it('shows work that was done before as skipped', async () => {
    const done: string[] = [];
    @Injectable()
    class Payments {
      @OnDelayedTask('charge')
      @Idempotent({ key: (payload: { order: string }) => payload.order })
      charge({ order }: { order: string }): void {
        done.push(order);
      }
    }
    const { clock, tasks, producer } = await boot({ providers: [Payments] });
    for (const [index, id] of ['a', 'b'].entries()) {
      await producer.schedule('charge', { order: '42' }, { delay: (index + 1) * 1_000, id });
    }
    await clock.advance('1m');
    expect(done).toEqual(['42']);
    expect(tasks.runs('charge').map(({ id, outcome }) => [id, outcome])).toEqual([
      ['a', 'completed'],
      ['b', 'skipped'],
    ]);
  });

  it('shows what ran before the test looked', async () => {
    const ran: string[] = [];
    @Injectable()
    class Early {
      constructor(private readonly producer: DelayQueueProducer) {}

      async onModuleInit(): Promise<void> {
        await this.producer.schedule('t', null, { delay: 0, id: 'early' });
      }

      @OnDelayedTask('t')
      handle(_payload: unknown, { id }: DelayedTask): void {
        ran.push(id);
      }
    }
    const { app: made, clock } = await boot({ providers: [Early] });
    await clock.advance(0);
    expect(ran).toEqual(['early']);
    expect(DelayQueueTestingModule.of(made).tasks.runs()).toHaveLength(1);
  });
});

describe('DelayQueueTestingModule', () => {
  it('names what is wrong when a queue is missing, or not under test', async () => {
    app = await Test.createTestingModule({ imports: [DelayQueueModule.forRoot({ embedded: true })] }).compile();
    const made = app;
    expect(() => DelayQueueTestingModule.of(made)).toThrow("The queue 'default' is not under test");
    expect(() => DelayQueueTestingModule.of(made, 'reports')).toThrow("no queue 'reports'");
  });

  it.each([
    [{ startAt: '2026-01-01' as unknown as Date }, 'startAt'],
    [{ patience: '2' as '2s' }, 'patience'],
  ])('refuses the clock options %p', (options, field) => {
    expect(() => new DelayQueueTestClock(options)).toThrow(
      expect.objectContaining({ code: 'invalid_argument', field }),
    );
  });

  it('keeps the options of the application, also those of a named queue that a factory makes', async () => {
    const imports = [
      DelayQueueModule.forRootAsync({
        name: 'reports',
        useFactory: () => ({ connection: process.env['NO_SUCH_VARIABLE'], types: { t: { partitions: 3 } } }),
      }),
    ];
    const { app: made } = await boot({ imports });
    const admin = made.get<DelayQueueAdmin>(getDelayQueueToken('reports', DelayQueueAdmin));
    expect((await admin.stats('t')).perPartition).toHaveLength(3);
  });

  it('several queues of a test share a clock when they are given one', async () => {
    const clock = new DelayQueueTestClock();
    app = await Test.createTestingModule({
      imports: [
        DelayQueueTestingModule.forRoot({ clock }),
        DelayQueueTestingModule.forRoot({ name: 'reports', clock }),
      ],
    }).compile();
    expect(DelayQueueTestingModule.of(app).clock).toBe(clock);
    expect(DelayQueueTestingModule.of(app, 'reports').clock).toBe(clock);
  });
});
