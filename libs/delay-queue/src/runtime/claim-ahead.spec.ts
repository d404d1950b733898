import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { VirtualClock } from '../core/virtual-clock.js';
import type { TurnOptions, TurnReply, TurnRequest } from '../ports/turn.js';
import { LOOK_MS } from './ahead-queue.js';
import { FaultyStore } from './faulty-store.spec-support.js';
import { RuntimeHarness } from './runtime-harness.spec-support.js';

const CONCURRENCY = 4;
const TURN_MS = 2;

/** Tasks that are due at one moment are claimed in the order of their ids. */
const ids = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `task-${String(index).padStart(3, '0')}`);

describe('claiming ahead', () => {
  let clock: VirtualClock;
  let store: FaultyStore;
  let open: RuntimeHarness[];

  /** A store that takes its time, as one behind a network does. */
  class DistantStore extends FaultyStore {
    override async turn(request: TurnRequest, options?: TurnOptions): Promise<TurnReply> {
      const reply = await super.turn(request, options);
      await new Promise<void>((resolve) => clock.setTimer(resolve, TURN_MS));
      return reply;
    }
  }

  const newProcess = (run: (id: string) => unknown): RuntimeHarness => {
    const options = { shutdownTimeout: '5s', types: { t: { concurrency: CONCURRENCY } } } as const;
    const harness = new RuntimeHarness({ clock, store, options }).handle('t', ({ id }) => run(id));
    open.push(harness);
    return harness;
  };

  const schedule = (process: RuntimeHarness, count: number): Promise<unknown> =>
    Promise.all(ids(count).map((id) => process.schedule('t', 0, { id })));

  const wait = (ms: number): Promise<void> => new Promise((resolve) => clock.setTimer(resolve, ms));

  const mostClaimed = (): number => Math.max(...store.turns.map(({ claim }) => claim?.limit ?? 0));

  beforeEach(() => {
    clock = new VirtualClock();
    store = new DistantStore(clock);
    open = [];
  });

  afterEach(async () => {
    const closed = Promise.all(open.map(({ runtime }) => runtime.close()));
    await clock.advanceMs(10_000);
    await closed;
  });

  it('takes tasks beyond the free places while handlers end faster than the store answers, and never runs more', async () => {
    let running = 0;
    let mostRunning = 0;
    const process = newProcess(async () => {
      mostRunning = Math.max(mostRunning, ++running);
      await Promise.resolve();
      running--;
    });
    await schedule(process, 400);
    await process.start();
    await clock.advanceMs(200);
    expect(process.eventsOf('completed')).toHaveLength(400);
    expect(mostClaimed()).toBe(4 * CONCURRENCY);
    expect(mostRunning).toBe(CONCURRENCY);
    // Each of them once, in order.
    expect(process.eventsOf('started').map(({ id }) => id)).toEqual(ids(400));
  });

  it('takes no more than there are free places when handlers take long', async () => {
    const process = newProcess(() => wait(50));
    await schedule(process, 100);
    await process.start();
    await clock.advanceMs(1_000);
    expect(process.eventsOf('completed').length).toBeGreaterThan(60);
    expect(mostClaimed()).toBe(CONCURRENCY);
    expect(process.eventsOf('released')).toEqual([]);
  });

  it('gives back at once what it has not started when handlers turn slow, with nothing counted', async () => {
    let started = 0;
    const process = newProcess(() => (++started > 200 ? wait(10_000) : undefined));
    await schedule(process, 300);
    await process.start();
    while (started <= 200) await clock.advanceMs(1);
    const ahead = await leasedCount(process);
    expect(ahead).toBeGreaterThan(CONCURRENCY);
    await clock.advanceMs(2 * LOOK_MS + 2 * TURN_MS);
    expect(await leasedCount(process)).toBe(CONCURRENCY);
    expect(process.eventsOf('released').length).toBeGreaterThan(0);
    for (const { id } of process.eventsOf('released')) {
      expect(await process.stateOf('t', id)).toMatchObject({ state: 'waiting', failures: 0, lostLeases: 0 });
    }
  });

  it('gives back what it has not started when the type is paused', async () => {
    let started = 0;
    const process = newProcess(() => {
      if (++started === 100) void store.setPaused({ type: 't', partition: 0 }, true);
      // Slow enough for the pause to be noticed before they are through, fast enough to be claimed ahead.
      return wait(3);
    });
    await schedule(process, 300);
    await process.start();
    await clock.advanceMs(1_000);
    expect(await leasedCount(process)).toBe(0);
    expect(process.eventsOf('released').length).toBeGreaterThan(0);
    expect(started).toBeLessThan(100 + 3 * CONCURRENCY);
  });

  it('gives back what it has not started when the process stops', async () => {
    let started = 0;
    const process = newProcess(() => {
      started++;
      return wait(3);
    });
    await schedule(process, 300);
    await process.start();
    while (started < 100) await clock.advanceMs(1);
    const startedBefore = started;
    const stopped = process.runtime.stop();
    await clock.advanceMs(5_000);
    await stopped;
    expect(started).toBe(startedBefore);
    expect(await leasedCount(process)).toBe(0);
    expect(process.eventsOf('released').length).toBeGreaterThan(0);
    expect(process.eventsOf('completed')).toHaveLength(started);
  });

  async function leasedCount(process: RuntimeHarness): Promise<number> {
    const { running } = await process.store.stats({ type: 't', partition: 0 });
    return running;
  }
});
