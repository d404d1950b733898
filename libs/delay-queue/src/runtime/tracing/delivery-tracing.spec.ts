import { AsyncLocalStorage } from 'node:async_hooks';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { VirtualClock } from '../../core/virtual-clock.js';
import type { TaskTypeOptions } from '../../options/queue-options.js';
import type { DeliveryEnd, TaskTracer, TracedDelivery } from '../../ports/task-tracer.js';
import type { DelayedTask } from '../../task/delayed-task.js';
import { TaskOutcome } from '../../task/task-outcome.js';
import { FaultyStore } from '../faulty-store.spec-support.js';
import { deferred, RuntimeHarness } from '../runtime-harness.spec-support.js';

const QUICK: TaskTypeOptions = { maxRetries: 0, lease: '3s', backoff: { type: 'fixed', delay: '1s', jitter: 0 } };

/** Which deliveries a tracer hears of, and what it hears of their end. */
describe('the traces of deliveries', () => {
  let clock: VirtualClock;
  let store: FaultyStore;
  let open: RuntimeHarness[];
  let begun: (TracedDelivery & { readonly deliveries: number })[];
  let ends: DeliveryEnd[];
  let inside: string[];
  let current: string | null;

  beforeEach(() => {
    clock = new VirtualClock();
    store = new FaultyStore(clock);
    open = [];
    begun = [];
    ends = [];
    inside = [];
    current = null;
  });

  afterEach(async () => {
    store.fault = () => null;
    const closed = Promise.all(open.map(({ runtime }) => runtime.close()));
    await clock.advanceMs(30_000);
    await closed;
  });

  const tracer: TaskTracer = {
    scheduling: () => null,
    running: (delivery) => {
      const { id, deliveries } = delivery.task;
      begun.push({ ...delivery, deliveries });
      return {
        within: (work) => {
          current = `${id} ${deliveries}`;
          work();
          current = null;
        },
        ended: (end) => void ends.push(end),
      };
    },
  };

  const start = async (
    run: (task: DelayedTask<string>) => unknown,
    type: TaskTypeOptions = {},
  ): Promise<RuntimeHarness> => {
    const options = { prefix: 'shop', shutdownTimeout: '5s', types: { t: { ...QUICK, ...type } } } as const;
    const harness = new RuntimeHarness({ clock, store, options, tracer });
    open.push(harness);
    harness.handle('t', (task) => {
      if (current !== null) inside.push(current);
      return run(task);
    });
    await harness.start();
    return harness;
  };

  it('begin with the handler, and say how late that is', async () => {
    const process = await start(() => undefined);
    process.runtime.suspend('t');
    await process.schedule('t', 100, { id: 'a' });
    await clock.advanceMs(350);
    expect(begun).toEqual([]);
    process.runtime.resume('t');
    await clock.advanceMs(0);
    expect(begun).toMatchObject([{ queue: 'shop', task: { id: 'a', type: 't' }, latenessMs: 250, deliveries: 1 }]);
    expect(inside).toEqual(['a 1']);
  });

  it.each<[string, (task: DelayedTask<string>) => unknown, Partial<DeliveryEnd>]>([
    ['returns', () => undefined, { kind: 'completed' }],
    ['resolves', () => Promise.resolve(7), { kind: 'completed' }],
    ['snoozes', () => TaskOutcome.snooze('5m'), { kind: 'snoozed', delayMs: 300_000 }],
    ['buries', () => TaskOutcome.bury('no such order'), { kind: 'buried', reason: 'no such order' }],
    ['fails for the last time', () => Promise.reject(new Error('no')), { kind: 'buried', reason: 'retries used up' }],
  ])('end when a handler %s', async (_, run, end) => {
    const process = await start(run);
    await process.schedule('t', 0, { id: 'a' });
    await clock.advanceMs(10);
    expect(ends).toMatchObject([{ ...end, type: 't', id: 'a' }]);
    expect(inside).toEqual(['a 1']);
  });

  it('have the handler in their context, and none of what the queue itself does afterwards', async () => {
    const context = new AsyncLocalStorage<string>();
    const seen = { handler: new Set<unknown>(), turn: new Set<unknown>() };
    class WatchedStore extends FaultyStore {
      override turn(...args: Parameters<FaultyStore['turn']>): ReturnType<FaultyStore['turn']> {
        seen.turn.add(context.getStore());
        return super.turn(...args);
      }
    }
    store = new WatchedStore(clock);
    const running: TaskTracer['running'] = ({ task }) => ({
      within: (work) => context.run(task.id, work),
      ended: () => undefined,
    });
    const harness = new RuntimeHarness({ clock, store, tracer: { scheduling: () => null, running } });
    open.push(harness);
    harness.handle('t', ({ id }) => {
      const look = (): unknown => seen.handler.add(context.getStore());
      return id === 'sync' ? void look() : Promise.resolve().then(look);
    });
    await harness.start();
    for (const id of ['sync', 'async']) {
      await harness.schedule('t', 0, { id });
      await clock.advanceMs(10);
    }
    expect(harness.eventsOf('completed')).toHaveLength(2);
    expect(seen.handler).toEqual(new Set(['sync', 'async']));
    expect(seen.turn).toEqual(new Set([undefined]));
  });

  it('are one for each try', async () => {
    const error = new Error('not yet');
    const process = await start(
      ({ deliveries }) => {
        if (deliveries < 3) throw error;
      },
      { maxRetries: 5 },
    );
    await process.schedule('t', 0, { id: 'a' });
    await clock.advanceMs(5_000);
    expect(begun.map(({ deliveries }) => deliveries)).toEqual([1, 2, 3]);
    const retried = { kind: 'retried', delayMs: 1_000, error };
    expect(ends).toMatchObject([retried, retried, { kind: 'completed' }]);
    expect(inside).toEqual(['a 1', 'a 2', 'a 3']);
  });

  it('end with the time limit, and not again with the handler', async () => {
    const work = deferred();
    const process = await start(() => work.promise, { handlerTimeout: '1s', maxRetries: 1 });
    await process.schedule('t', 0, { id: 'a' });
    await clock.advanceMs(1_000);
    expect(ends).toMatchObject([{ kind: 'retried', error: { name: 'TimeoutError' } }]);
    process.runtime.suspend('t');
    work.resolve();
    await clock.advanceMs(1_000);
    expect(ends).toHaveLength(1);
  });

  it('end when the payload is refused, without a handler', async () => {
    const refusing = { '~standard': { version: 1, vendor: 'test', validate: () => ({ issues: [] }) } } as const;
    const process = await start(() => undefined, { schema: refusing, onUnknownVersion: 'wait' });
    await process.schedule('t', 0, { id: 'a' });
    await process.schedule('t', 0, { id: 'b', version: 2 });
    await clock.advanceMs(0);
    expect(ends).toMatchObject([
      { kind: 'buried', id: 'a', reason: expect.stringContaining('invalid payload') },
      { kind: 'version unknown', id: 'b' },
    ]);
    expect(inside).toEqual([]);
  });

  it('end with the stop that gives a task back, and are none for a task that was not begun', async () => {
    const process = await start(() => new Promise(() => undefined), { concurrency: 1 });
    await process.schedule('t', 0, { id: 'a' });
    await clock.advanceMs(0);
    await process.schedule('t', 0, { id: 'b' });
    const stopped = process.runtime.stop();
    await clock.advanceMs(10_000);
    await stopped;
    expect(ends).toMatchObject([{ kind: 'released', id: 'a' }]);
    expect(begun).toHaveLength(1);
  });

  it('end when another process has taken the task over', async () => {
    store = new FaultyStore(clock, { reliableWakeups: false, armHoldMs: 5_000 });
    const work = deferred();
    await start(({ deliveries }) => (deliveries === 1 ? work.promise : undefined));
    const first = store.turns[0]?.holder;
    const second = await start(() => undefined);
    await second.schedule('t', 0, { id: 'a' });
    await clock.advanceMs(0);
    expect(begun).toMatchObject([{ deliveries: 1 }]);
    // Without their looks at the partition, nobody says that the first one lives.
    store.fault = (call, request) => (call === 'peek' || request?.holder === first ? 'not sent' : null);
    await clock.advanceMs(10_000);
    expect(ends).toMatchObject([{ kind: 'completed', deliveries: 2 }]);
    store.fault = () => null;
    await clock.advanceMs(5_000);
    expect(ends.slice(1)).toMatchObject([{ kind: 'lease lost', deliveries: 1 }]);
    work.resolve();
    await clock.advanceMs(10);
    expect(ends).toHaveLength(2);
  });
});
