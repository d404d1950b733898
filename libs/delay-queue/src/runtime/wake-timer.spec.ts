import { beforeEach, describe, expect, it } from '@jest/globals';
import { type Clock, MAX_TIMER_MS } from '../core/clock.js';
import { VirtualClock } from '../core/virtual-clock.js';
import { WakeTimer } from './wake-timer.js';

describe('WakeTimer', () => {
  let clock: VirtualClock;
  let firedAt: number[];
  let timer: WakeTimer;

  beforeEach(() => {
    clock = new VirtualClock();
    firedAt = [];
    timer = new WakeTimer(clock, () => firedAt.push(clock.monotonicMs()));
  });

  it('fires once, at its time', async () => {
    timer.fireBy(100);
    await clock.advanceMs(99);
    expect(firedAt).toEqual([]);
    await clock.advanceMs(1_000);
    expect(firedAt).toEqual([100]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('moves earlier, and not later', async () => {
    timer.fireBy(100);
    timer.fireBy(50);
    timer.fireBy(200);
    expect(clock.pendingTimers).toBe(1);
    await clock.advanceMs(1_000);
    expect(firedAt).toEqual([50]);
  });

  it('fires at once when its time has passed, but never within the call', async () => {
    await clock.advanceMs(100);
    timer.fireBy(50);
    expect(firedAt).toEqual([]);
    await clock.advanceMs(0);
    expect(firedAt).toEqual([100]);
  });

  it.each([50, 100, 200])('is moved by a reset to %d, earlier or later', async (atMs) => {
    timer.fireBy(100);
    timer.reset(atMs);
    await clock.advanceMs(1_000);
    expect(firedAt).toEqual([atMs]);
  });

  it('forgets its time when it is reset to null, and can be set again', async () => {
    timer.fireBy(100);
    timer.reset(null);
    expect(clock.pendingTimers).toBe(0);
    await clock.advanceMs(500);
    expect(firedAt).toEqual([]);
    timer.fireBy(600);
    await clock.advanceMs(500);
    expect(firedAt).toEqual([600]);
  });

  it('can be set anew by its own callback', async () => {
    timer = new WakeTimer(clock, () => {
      firedAt.push(clock.monotonicMs());
      if (firedAt.length < 3) timer.fireBy(clock.monotonicMs() + 100);
    });
    timer.fireBy(100);
    await clock.advanceMs(1_000);
    expect(firedAt).toEqual([100, 200, 300]);
  });

  it('C14 reaches a time that one timer cannot hold, and is not early', async () => {
    const farMs = 2 * MAX_TIMER_MS + 5_000;
    timer.fireBy(farMs);
    await clock.advanceMs(farMs - 1);
    expect(firedAt).toEqual([]);
    await clock.advanceMs(1);
    expect(firedAt).toEqual([farMs]);
  });

  it('is not early when the timer of the system is', async () => {
    const early: Clock = {
      nowMs: () => clock.nowMs(),
      monotonicMs: () => clock.monotonicMs(),
      setTimer: (callback, delayMs) => clock.setTimer(callback, delayMs - 0.6),
    };
    timer = new WakeTimer(early, () => firedAt.push(clock.monotonicMs()));
    timer.fireBy(100.25);
    await clock.advanceMs(1_000);
    expect(firedAt).toHaveLength(1);
    expect(firedAt[0]).toBeGreaterThanOrEqual(100.25);
    expect(firedAt[0]).toBeLessThan(102);
  });

  describe('on a clock that tells what it is asked for', () => {
    let asked: number[];

    beforeEach(() => {
      asked = [];
      const asking: Clock = {
        nowMs: () => clock.nowMs(),
        monotonicMs: () => clock.monotonicMs(),
        setTimer: (callback, delayMs) => {
          asked.push(delayMs);
          return clock.setTimer(callback, delayMs);
        },
      };
      timer = new WakeTimer(asking, () => firedAt.push(clock.monotonicMs()));
    });

    it('asks for whole milliseconds, for a system timer cuts fractions off', async () => {
      timer.fireBy(10.2);
      await clock.advanceMs(11);
      expect(asked).toEqual([11]);
      expect(firedAt).toEqual([11]);
    });

    it('sets no timer anew for the time that it has', async () => {
      timer.fireBy(10);
      timer.fireBy(10);
      timer.reset(10);
      await clock.advanceMs(10);
      expect(asked).toEqual([10]);
      expect(firedAt).toEqual([10]);
    });
  });
});
