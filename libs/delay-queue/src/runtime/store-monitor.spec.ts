import { beforeEach, describe, expect, it } from '@jest/globals';
import { VirtualClock } from '../core/virtual-clock.js';
import type { QueueEvent } from '../ports/queue-event.js';
import { QUIET_MS } from './outage-episode.js';
import { StoreMonitor } from './store-monitor.js';

describe('StoreMonitor', () => {
  let clock: VirtualClock;
  let events: QueueEvent[];
  let lines: string[];
  let monitor: StoreMonitor;
  /** The store's time less the monotonic time of this process. */
  let offsetMs: number;

  beforeEach(() => {
    clock = new VirtualClock();
    events = [];
    lines = [];
    offsetMs = Date.UTC(2025, 0, 1);
    monitor = new StoreMonitor(
      clock,
      { notify: (event) => void events.push(event) },
      {
        log: (message) => void lines.push(`log ${message}`),
        warn: (message) => void lines.push(`warn ${message}`),
        error: (message) => void lines.push(`error ${message}`),
      },
    );
  });

  /** A call that is sent now and read by the store after half of its duration. */
  async function call(durationMs = 2): Promise<void> {
    const sentAtMs = clock.monotonicMs();
    await clock.advanceMs(durationMs / 2);
    const nowUs = (clock.monotonicMs() + offsetMs) * 1_000;
    await clock.advanceMs(durationMs / 2);
    monitor.completed({ nowUs, sentAtMs, receivedAtMs: clock.monotonicMs() });
  }

  describe('health', () => {
    it('is not down before anything has failed', () => {
      expect(monitor.health).toMatchObject({ down: false, error: null });
    });

    it('is down from the first failure to the next call that completes, with the last error', async () => {
      const [first, last] = [new Error('first'), new Error('last')];
      monitor.failed(first);
      expect(monitor.health).toMatchObject({ down: true, error: first });
      monitor.failed(last);
      expect(monitor.health).toMatchObject({ down: true, error: last });
      await call();
      expect(monitor.health).toMatchObject({ down: false, error: null });
    });

    it('counts the time since a call completed, whether or not it told the time', async () => {
      monitor.completed();
      await clock.advanceMs(4_000);
      expect(monitor.health.sinceCompletedMs).toBe(4_000);
      monitor.failed(new Error('x'));
      expect(monitor.health.sinceCompletedMs).toBe(4_000);
      await call();
      expect(monitor.health.sinceCompletedMs).toBe(0);
    });
  });

  it('C07 tells of an episode once when it begins and once when it ends, whatever its length', async () => {
    const error = new Error('READONLY');
    for (let failure = 0; failure < 100; failure++) {
      monitor.failed(failure === 0 ? error : new Error('other'));
      await clock.advanceMs(100);
    }
    expect(lines).toEqual(['error Store calls fail; they are tried again until the store answers.']);
    expect(events).toEqual([{ kind: 'store down', error }]);
    monitor.completed();
    monitor.completed();
    await clock.advanceMs(QUIET_MS - 1);
    expect(events).toHaveLength(1);
    await clock.advanceMs(1);
    expect(lines.slice(1)).toEqual(['log The store answers again, after 10000 ms.']);
    expect(events.slice(1)).toEqual([{ kind: 'store up', downForMs: 10_000 }]);
  });

  it('C07 takes calls that complete and fail by turns for one episode, which lasts to the last failure', async () => {
    for (let turn = 0; turn < 10; turn++) {
      monitor.failed(new Error('READONLY'));
      await clock.advanceMs(QUIET_MS / 2);
      monitor.completed();
      await clock.advanceMs(QUIET_MS / 2);
    }
    expect(events.map(({ kind }) => kind)).toEqual(['store down']);
    await clock.advanceMs(QUIET_MS);
    expect(events.slice(1)).toEqual([{ kind: 'store up', downForMs: 9.5 * QUIET_MS }]);
    expect(lines).toHaveLength(2);
  });

  it('begins another episode when a call fails after the quiet', async () => {
    monitor.failed(new Error('first'));
    monitor.completed();
    await clock.advanceMs(QUIET_MS);
    monitor.failed(new Error('second'));
    expect(events.map(({ kind }) => kind)).toEqual(['store down', 'store up', 'store down']);
  });

  it('leaves no timer behind when it is closed', () => {
    monitor.failed(new Error('x'));
    monitor.completed();
    monitor.close();
    monitor.completed();
    expect(clock.pendingTimers).toBe(0);
  });

  it('says nothing of calls that complete when none has failed', async () => {
    await call();
    expect([lines, events]).toEqual([[], []]);
  });

  describe('the clock of the store', () => {
    let jumps: number;

    beforeEach(() => {
      jumps = 0;
      monitor.onClockJump(() => jumps++);
    });

    it.each([2_500, 60_000, -2_500, -60_000])('has stepped when it is off by %d ms', async (stepMs) => {
      await call();
      await clock.advanceMs(10_000);
      offsetMs += stepMs;
      await call();
      expect(jumps).toBe(1);
      expect(events).toEqual([{ kind: 'clock jump', byMs: expect.closeTo(stepMs - Math.sign(stepMs) * 2, 3) }]);
      expect(lines).toEqual([`warn The store's clock has stepped by ${stepMs - Math.sign(stepMs) * 2} ms.`]);
      await call();
      expect(jumps).toBe(1);
    });

    it.each([1_900, -1_900])('has not stepped when it is off by %d ms', async (stepMs) => {
      await call();
      offsetMs += stepMs;
      await call();
      expect([jumps, events]).toEqual([0, []]);
    });

    it('has not stepped when a call was slow, whichever way the time went', async () => {
      await call();
      await call(30_000);
      const sentAtMs = clock.monotonicMs();
      const nowUs = (sentAtMs + offsetMs) * 1_000;
      await clock.advanceMs(30_000);
      monitor.completed({ nowUs, sentAtMs, receivedAtMs: clock.monotonicMs() });
      await call();
      expect([jumps, events]).toEqual([0, []]);
    });

    it('has not stepped when this process was stopped between two calls', async () => {
      await call();
      clock.jumpMs(60_000);
      await call();
      expect(jumps).toBe(0);
    });

    it('is told to every listener', async () => {
      let others = 0;
      monitor.onClockJump(() => others++);
      await call();
      offsetMs += 10_000;
      await call();
      expect([jumps, others]).toEqual([1, 1]);
    });
  });
});
