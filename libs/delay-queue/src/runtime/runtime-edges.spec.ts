import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Clock } from '../core/clock.js';
import { partitionOf } from '../core/partition.js';
import { VirtualClock } from '../core/virtual-clock.js';
import { MemoryTaskStore } from '../memory/memory-task-store.js';
import { FaultyStore } from './faulty-store.spec-support.js';
import { RetryPause } from './retry-pause.js';
import { deferred, RuntimeHarness } from './runtime-harness.spec-support.js';

const idsOfPartition = (partition: number, count: number): string[] => {
  const ids = Array.from({ length: 1_000 }, (_, index) => `t${index}`);
  return ids.filter((id) => partitionOf(id, 2) === partition).slice(0, count);
};

describe('the runtime at its edges', () => {
  let clock: VirtualClock;
  let store: FaultyStore;
  let open: RuntimeHarness[];

  const newProcess = (options: ConstructorParameters<typeof RuntimeHarness>[0] = {}): RuntimeHarness => {
    const harness = new RuntimeHarness({ clock, store, ...options });
    open.push(harness);
    return harness;
  };

  beforeEach(() => {
    clock = new VirtualClock();
    store = new FaultyStore(clock, { reliableWakeups: false, armHoldMs: 5_000 });
    open = [];
  });

  afterEach(async () => {
    store.fault = () => null;
    const closed = Promise.all(open.map(({ runtime }) => runtime.close()));
    await clock.advanceMs(60_000);
    await closed;
  });

  /** Keeps the next answer to a peek back until the test lets it go. */
  it('a lane whose siblings take every place gives its arm away, so that an idle process can run its tasks', async () => {
    const options = { types: { t: { partitions: 2, concurrency: 1 } } };
    const work = deferred();
    const busy = newProcess({ options }).handle('t', () => work.promise);
    await busy.start();
    await clock.advanceMs(1_000);
    const idle = newProcess({ options }).handle('t', () => undefined);
    await idle.start();
    await clock.advanceMs(6_000);
    const [first = ''] = idsOfPartition(0, 1);
    const [second = ''] = idsOfPartition(1, 1);
    await busy.schedule('t', 0, { id: first });
    await clock.advanceMs(100);
    await busy.schedule('t', 1_000, { id: second });
    await clock.advanceMs(10_000);
    expect(idle.eventsOf('completed').map(({ id }) => id)).toEqual([second]);
    work.resolve();
  });
  it('a step of the store clock that a turn finds makes the lane renew before it claims', async () => {
    let skewMs = 0;
    const stepping: Clock = {
      nowMs: () => clock.nowMs() + skewMs,
      monotonicMs: () => clock.monotonicMs(),
      setTimer: (callback, delayMs) => clock.setTimer(callback, delayMs),
    };
    const starts: string[] = [];
    const work = deferred();
    const process = newProcess({ store: new MemoryTaskStore({ clock: stepping }) }).handle('t', (task) => {
      starts.push(task.id);
      return task.id === 'long' ? work.promise : undefined;
    });
    await process.start();
    await process.schedule('t', 0, { id: 'long' });
    await clock.advanceMs(100);
    skewMs = 25_000;
    await process.schedule('t', 0, { id: 'x' });
    await clock.advanceMs(15_000);
    expect(process.eventsOf('clock jump')).toHaveLength(1);
    expect(starts).toEqual(['long', 'x']);
    work.resolve();
    await clock.advanceMs(10);
    expect(process.eventsOf('lease lost')).toEqual([]);
  });

  it('the time limit of a handler that never ends leaves no timer behind when the queue has closed', async () => {
    const options = { shutdownTimeout: '5s', types: { t: { handlerTimeout: '10m' } } } as const;
    const process = newProcess({ options }).handle('t', () => new Promise(() => undefined));
    await process.start();
    await process.schedule('t', 0);
    await clock.advanceMs(0);
    const closed = process.runtime.close();
    await clock.advanceMs(5_000);
    await closed;
    expect(clock.pendingTimers).toBe(0);
  });

  it('a call that fails after the close begins no pause', () => {
    const pause = new RetryPause(clock, () => undefined);
    pause.close();
    pause.failed();
    expect(clock.pendingTimers).toBe(0);
  });
});
