import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Injectable, type OnModuleInit, type Type } from '@nestjs/common';
import {
  ConfigurationError,
  type DelayedTask,
  type DelayQueueModuleOptions,
  Idempotent,
  IdempotencyInProgressError,
  IdempotencyService,
  OnDelayedTask,
  QueueClosedError,
  TaskOutcome,
} from 'nestjs-delay-queue';
import { encodeEnvelope } from '../../libs/delay-queue/src/task/envelope.js';
import { DelayQueueRuntime } from '../../libs/delay-queue/src/runtime/delay-queue-runtime.js';
import { RedisServer, type SharedRedis } from '../support/redis-server.js';
import { nextEvent } from './support/next-event.js';
import { type TestApp, TestApps } from './support/test-apps.js';

const apps = new TestApps();
let redis: SharedRedis;

beforeAll(async () => {
  redis = await RedisServer.shared();
}, 30_000);
afterEach(() => apps.closeAll(), 30_000);
afterAll(() => redis.release(), 30_000);

interface Charge {
  readonly orderId: string;
}

/** Two types with one business key, and one with a mark of its own. */
@Injectable()
class Payments {
  readonly charged: string[] = [];
  work: (task: DelayedTask<string>) => unknown = () => undefined;

  @OnDelayedTask('charge')
  @OnDelayedTask('charge_again')
  @Idempotent({ key: (payload: Charge) => `charge:${payload.orderId}`, keepResult: true })
  charge({ orderId }: Charge, task: DelayedTask<string>): unknown {
    this.charged.push(`${task.type} ${orderId}`);
    return this.work(task);
  }

  @OnDelayedTask('own')
  @Idempotent()
  own(_payload: unknown, task: DelayedTask<string>): unknown {
    this.charged.push(`own ${task.id}`);
    return this.work(task);
  }
}

interface Booted extends TestApp {
  readonly payments: Payments;
  readonly idempotency: IdempotencyService;
}

/** Short leases, so that nobody waits long for somebody else's. */
const TYPE = { lease: 500, maxRetries: 0 } as const;
const TYPES = { charge: TYPE, charge_again: TYPE, own: TYPE };
let prefixes = 0;

const stores: [string, () => DelayQueueModuleOptions][] = [
  ['in memory', () => ({ embedded: true, types: TYPES })],
  ['on Redis', () => ({ connection: redis.url, prefix: `${redis.prefix}-idem-${prefixes++}`, types: TYPES })],
];

async function boot(queue: DelayQueueModuleOptions, providers: readonly Type[] = [Payments]): Promise<Booted> {
  const booted = await apps.boot({ queue, providers: [...providers] });
  const { app } = booted;
  const payments = providers.includes(Payments) ? app.get(Payments) : new Payments();
  return { ...booted, payments, idempotency: app.get(IdempotencyService) };
}

/** Something that a test lets go on when it wants to. */
function gate(): { readonly passed: Promise<string>; readonly open: (result: string) => void } {
  let open: (result: string) => void = () => undefined;
  const passed = new Promise<string>((resolve) => (open = resolve));
  return { passed, open: (result) => open(result) };
}

describe.each(stores)('@Idempotent and once %s', (_where, queueOptions) => {
  it('a business key is done once, by whichever task or caller comes first', async () => {
    const { producer, events, payments, idempotency } = await boot(queueOptions());
    payments.work = () => ({ receipt: 7 });
    const completed = nextEvent(events, 'completed', 'first');
    await producer.schedule('charge', { orderId: '42' }, { delay: 0, id: 'first' });
    await completed;

    const skipped = nextEvent(events, 'skipped', 'second');
    await producer.schedule('charge_again', { orderId: '42' }, { delay: 0, id: 'second' });
    expect(await skipped).toMatchObject({ key: 'charge:42', result: { receipt: 7 }, deliveries: 1, failures: 0 });
    expect(await producer.get('charge_again', 'second')).toBeNull();
    expect(await idempotency.once('charge:42', () => 'not run')).toEqual({ status: 'skipped', result: { receipt: 7 } });
    expect(payments.charged).toEqual(['charge 42']);

    expect(await idempotency.once('charge:43', () => 1)).toEqual({ status: 'ran', result: 1, marked: true });
    const third = nextEvent(events, 'skipped', 'third');
    await producer.schedule('charge', { orderId: '43' }, { delay: 0, id: 'third' });
    expect((await third).result).toBeUndefined();
  });

  it('while one task works under a key another waits, and is skipped when it is done', async () => {
    const { producer, events, payments } = await boot(queueOptions());
    const { passed, open } = gate();
    payments.work = () => passed;
    const started = nextEvent(events, 'started', 'first');
    await producer.schedule('charge', { orderId: '42' }, { delay: 0, id: 'first' });
    await started;
    const snoozed = nextEvent(events, 'snoozed', 'second');
    await producer.schedule('charge', { orderId: '42' }, { delay: 0, id: 'second' });
    expect((await snoozed).delayMs).toBeLessThanOrEqual(500);
    const ends = [nextEvent(events, 'completed', 'first'), nextEvent(events, 'skipped', 'second')];
    open('done');
    await Promise.all(ends);
    expect(payments.charged).toEqual(['charge 42']);
  });

  it('work that failed is free at once, for the next task and for a redrive', async () => {
    const { producer, admin, events, payments } = await boot(queueOptions());
    payments.work = () => Promise.reject(new Error('no money'));
    const buried = nextEvent(events, 'buried', 'first');
    await producer.schedule('charge', { orderId: '42' }, { delay: 0, id: 'first' });
    await buried;
    payments.work = () => TaskOutcome.bury('still no money');
    const buriedAgain = nextEvent(events, 'buried', 'second');
    await producer.schedule('charge', { orderId: '42' }, { delay: 0, id: 'second' });
    expect(await buriedAgain).toMatchObject({ reason: 'still no money' });

    payments.work = () => 'charged';
    const completed = nextEvent(events, 'completed', 'first');
    expect(await admin.redrive('charge', 'first')).toMatchObject({ status: 'redriven' });
    await completed;
    const skipped = nextEvent(events, 'skipped', 'second');
    await admin.redrive('charge', 'second');
    expect((await skipped).result).toBe('charged');
    expect(payments.charged).toHaveLength(3);
  });

  it("C29 a task's own mark does not block a redrive, nor the same id scheduled again", async () => {
    const { producer, admin, events, payments } = await boot(queueOptions());
    payments.work = () => Promise.reject(new Error('no'));
    for (const redrives of [0, 1]) {
      const buried = nextEvent(events, 'buried', 'x');
      if (redrives === 0) await producer.schedule('own', null, { delay: 0, id: 'x' });
      else await admin.redrive('own', 'x');
      await buried;
      expect(await producer.get('own', 'x')).toMatchObject({ state: 'dead', redrives });
    }
    payments.work = () => undefined;
    const completed = nextEvent(events, 'completed', 'x');
    await admin.redrive('own', 'x');
    await completed;
    const again = nextEvent(events, 'completed', 'x');
    expect(await producer.schedule('own', null, { delay: 0, id: 'x' })).toMatchObject({ status: 'created' });
    await again;
    expect(payments.charged).toHaveLength(4);
  });

  it('a life that was done is skipped when it is brought back', async () => {
    const { app, events, payments } = await boot(queueOptions());
    // What a rebuild from a ledger does.
    const envelope = encodeEnvelope({ payloadJson: '{}', life: 'm5d4ruo0abc123' });
    const schedule = { kind: 'schedule', id: 'x', due: { delayMs: 0 }, envelope, onDuplicate: 'keep' } as const;
    for (const end of ['completed', 'skipped'] as const) {
      const ended = nextEvent(events, end, 'x');
      await app.get(DelayQueueRuntime).submit('own', schedule);
      expect(await ended).toMatchObject(end === 'skipped' ? { key: null } : {});
    }
    expect(payments.charged).toEqual(['own x']);
  });

  it('two callers of once at the same time: the work is done once, and both have its result', async () => {
    const queue = queueOptions();
    const one = await boot(queue);
    // Another process, where there can be one.
    const other = queue.embedded === true ? one : await boot(queue);
    const { passed, open } = gate();
    let runs = 0;
    const work = (): Promise<string> => {
      runs++;
      return passed;
    };
    const calls = [one, other].map(({ idempotency }) => idempotency.once('report', work, { keepResult: true }));
    await expect(one.idempotency.once('report', work, { wait: 0 })).rejects.toThrow(IdempotencyInProgressError);
    open('the report');
    const results = await Promise.all(calls);
    expect(results.map(({ result }) => result)).toEqual(['the report', 'the report']);
    expect(results.map(({ status }) => status).toSorted()).toEqual(['ran', 'skipped']);
    expect(runs).toBe(1);
  });

  it('once can be called while the application boots, and not after it has closed', async () => {
    @Injectable()
    class Early implements OnModuleInit {
      result: unknown;

      constructor(private readonly service: IdempotencyService) {}

      async onModuleInit(): Promise<void> {
        this.result = await this.service.once('migration', () => 'migrated');
      }
    }
    const { app, idempotency } = await boot(queueOptions(), [Early]);
    expect(app.get(Early).result).toEqual({ status: 'ran', result: 'migrated', marked: true });
    await app.close();
    await expect(idempotency.once('late', () => 1)).rejects.toThrow(QueueClosedError);
  });

  it('once refuses bad arguments before anything is written', async () => {
    const { idempotency } = await boot(queueOptions());
    const once = idempotency.once.bind(idempotency) as (...args: readonly unknown[]) => Promise<unknown>;
    for (const [field, args] of [
      ['key', ['', () => 1]],
      ['key', [7, () => 1]],
      ['key', ['x'.repeat(513), () => 1]],
      ['work', ['k', 'work']],
      ['ttl', ['k', () => 1, { ttl: 'soon' }]],
      ['keepresult', ['k', () => 1, { keepresult: true }]],
    ] as const) {
      await expect(once(...args)).rejects.toMatchObject({ code: 'invalid_argument', field });
    }
    expect(await idempotency.once('k', () => 1, { wait: 0 })).toMatchObject({ status: 'ran' });
  });
});

describe('the boot', () => {
  const embedded: DelayQueueModuleOptions = { embedded: true };

  it('warns when work is forgotten while its task may still come up again', async () => {
    @Injectable()
    class Short {
      @OnDelayedTask('a', { maxRetries: 2, backoff: { type: 'fixed', delay: '1h' } })
      @Idempotent({ ttl: '2h' })
      short(): void {}

      @OnDelayedTask('b', { maxRetries: 2, backoff: { type: 'fixed', delay: '1h' } })
      @Idempotent({ ttl: '3h' })
      long(): void {}
    }
    const { log } = await boot(embedded, [Short]);
    const warnings = log.matching('warn', '(ttl)');
    expect(warnings).toEqual([expect.stringContaining('Short.short remembers for 7200000 ms')]);
    // Two waits of an hour and five leases of 30 s.
    expect(warnings[0]).toContain('7350000 ms');
  });

  it('fails when @Idempotent stands alone, or says something that cannot be', async () => {
    @Injectable()
    class Alone {
      @Idempotent()
      handle(): void {}
    }
    @Injectable()
    class Constant {
      @OnDelayedTask('a')
      @Idempotent({ key: 'the same for all' as unknown as () => string })
      handle(): void {}
    }
    for (const [provider, field, problem] of [
      [Alone, 'Alone.handle', 'no @OnDelayedTask'],
      [Constant, 'Constant.handle: @Idempotent.key', 'must be a function'],
    ] as const) {
      const error: unknown = await boot(embedded, [provider]).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(error).toMatchObject({ field, message: expect.stringContaining(problem) });
    }
  });

  it('warns of an override that has lost its @Idempotent', async () => {
    @Injectable()
    class Special extends Payments {
      @OnDelayedTask('special')
      override own(): void {}
    }
    const { log } = await boot(embedded, [Special]);
    expect(log.matching('warn', 'Special.own overrides a handler with @Idempotent')).toHaveLength(1);
  });
});
