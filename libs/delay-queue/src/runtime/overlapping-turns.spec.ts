import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { VirtualClock } from '../core/virtual-clock.js';
import type { TurnOptions, TurnReply, TurnRequest } from '../ports/turn.js';
import { FaultyStore } from './faulty-store.spec-support.js';
import { RuntimeHarness } from './runtime-harness.spec-support.js';

const CONCURRENCY = 4;
const TURN_MS = 2;
const TASKS = 400;

const ids = Array.from({ length: TASKS }, (_, index) => `task-${String(index).padStart(3, '0')}`);

describe('a second turn while the first is unanswered', () => {
  let clock: VirtualClock;
  let store: WatchedStore;
  let harness: RuntimeHarness | null;

  /** A store that takes its time, and notes what is under way. */
  class WatchedStore extends FaultyStore {
    mostInFlight = 0;
    /** Most claims at once that may bring a suspect. */
    mostMayBringSuspect = 0;
    claimed = 0;
    private inFlight = 0;
    private mayBringSuspect = 0;

    override async turn(request: TurnRequest, options?: TurnOptions): Promise<TurnReply> {
      const suspects = request.claim !== null && request.claim.suspects !== 'leave' ? 1 : 0;
      this.mostInFlight = Math.max(this.mostInFlight, ++this.inFlight);
      this.mostMayBringSuspect = Math.max(this.mostMayBringSuspect, (this.mayBringSuspect += suspects));
      try {
        const reply = await super.turn(request, options);
        this.claimed += reply.claimed.length;
        await wait(TURN_MS);
        return reply;
      } finally {
        this.inFlight--;
        this.mayBringSuspect -= suspects;
      }
    }
  }

  const wait = (ms: number): Promise<void> => new Promise((resolve) => clock.setTimer(resolve, ms));

  /** Lets a process run the tasks, all of which are due. */
  const drain = async (run: () => unknown, forMs: number): Promise<RuntimeHarness> => {
    const options = { shutdownTimeout: '5s', types: { t: { concurrency: CONCURRENCY } } } as const;
    const process = new RuntimeHarness({ clock, store, options }).handle('t', run);
    harness = process;
    await Promise.all(ids.map((id) => process.schedule('t', 0, { id })));
    await process.start();
    await clock.advanceMs(forMs);
    return process;
  };

  const expectEachOnce = (process: RuntimeHarness): void => {
    const started = process.eventsOf('started').map(({ id }) => id);
    expect(started.toSorted()).toEqual(ids);
    expect(process.eventsOf('completed')).toHaveLength(TASKS);
  };

  beforeEach(() => {
    clock = new VirtualClock();
    store = new WatchedStore(clock);
    harness = null;
  });

  afterEach(async () => {
    const closed = harness?.runtime.close();
    await clock.advanceMs(10_000);
    await closed;
  });

  it('is sent when more is due and handlers are fast: each task runs once, and one claim at a time may bring a suspect', async () => {
    const process = await drain(() => undefined, 500);
    expectEachOnce(process);
    expect(store.mostInFlight).toBe(2);
    expect(store.mostMayBringSuspect).toBe(1);
    expect(store.turns.some(({ claim }) => claim?.suspects === 'leave')).toBe(true);
  });

  it('is not sent while handlers are slow', async () => {
    const process = await drain(() => wait(50), 1_000);
    expect(process.eventsOf('completed').length).toBeGreaterThan(CONCURRENCY);
    expect(store.mostInFlight).toBe(1);
  });

  it('brings no more tasks than may wait here: three for each place', async () => {
    let mostUnstarted = 0;
    let started = 0;
    await drain(() => {
      mostUnstarted = Math.max(mostUnstarted, store.claimed - started);
      started++;
    }, 500);
    expect(started).toBe(TASKS);
    expect(mostUnstarted).toBeGreaterThan(CONCURRENCY);
    expect(mostUnstarted).toBeLessThanOrEqual(CONCURRENCY + 3 * CONCURRENCY);
  });

  it('may fail with the first: nothing is lost, and the lane goes on after its pause', async () => {
    let calls = 0;
    store.fault = (call) => (call === 'turn' && ++calls > 20 && calls <= 24 ? 'not sent' : null);
    const process = await drain(() => undefined, 10_000);
    expect(calls).toBeGreaterThan(24);
    expectEachOnce(process);
  });
});
