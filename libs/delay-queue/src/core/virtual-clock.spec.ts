import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MAX_TIMER_MS } from './clock.js';
import { VirtualClock } from './virtual-clock.js';

describe('VirtualClock', () => {
  it('begins on the first of January 2025, or where it is told to', () => {
    expect(new VirtualClock().nowMs()).toBe(Date.parse('2025-01-01T00:00:00Z'));
    expect(new VirtualClock(5_000.25).nowMs()).toBe(5_000.25);
    expect(new VirtualClock(5_000.25).monotonicMs()).toBe(0);
  });

  it('stands still until it is told to advance', async () => {
    const clock = new VirtualClock(0);
    let fired = false;
    clock.setTimer(() => (fired = true), 1);
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(fired).toBe(false);
    expect(clock.nowMs()).toBe(0);
  });

  it('moves both of its times by what it is told', async () => {
    const clock = new VirtualClock(1_000);
    await clock.advanceMs(250.5);
    expect([clock.nowMs(), clock.monotonicMs()]).toEqual([1_250.5, 250.5]);
  });

  it('fires a timer at its time, with the clock there, and once', async () => {
    const clock = new VirtualClock(0);
    const firedAt: number[] = [];
    clock.setTimer(() => firedAt.push(clock.nowMs()), 100);
    await clock.advanceMs(99);
    expect(firedAt).toEqual([]);
    await clock.advanceMs(500);
    expect(firedAt).toEqual([100]);
    expect(clock.nowMs()).toBe(599);
    expect(clock.pendingTimers).toBe(0);
  });

  it('fires timers in the order of their times, and those of one time in the order in which they were set', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 12 }), async (delaysMs) => {
        const clock = new VirtualClock(0);
        const fired: string[] = [];
        delaysMs.forEach((delayMs, index) => clock.setTimer(() => fired.push(`${delayMs}#${index}`), delayMs));
        await clock.advanceMs(5);
        const expected = delaysMs
          .map((delayMs, index) => ({ delayMs, index }))
          .toSorted((a, b) => a.delayMs - b.delayMs || a.index - b.index);
        expect(fired).toEqual(expected.map(({ delayMs, index }) => `${delayMs}#${index}`));
      }),
      { numRuns: 30 },
    );
  });

  it('fires within one advance what a timer sets, after promises and immediates', async () => {
    const clock = new VirtualClock(0);
    const firedAt: number[] = [];
    clock.setTimer(() => {
      void Promise.resolve()
        .then(() => new Promise((resolve) => setImmediate(resolve)))
        .then(() => clock.setTimer(() => firedAt.push(clock.nowMs()), 10));
    }, 10);
    await clock.advanceMs(100);
    expect(firedAt).toEqual([20]);
  });

  it('lets what is under way before the advance set its timers first', async () => {
    const clock = new VirtualClock(0);
    const firedAt: number[] = [];
    setImmediate(() => clock.setTimer(() => firedAt.push(clock.nowMs()), 10));
    await clock.advanceMs(10);
    expect(firedAt).toEqual([10]);
  });

  it('lets what the advance has begun come to rest before it returns', async () => {
    const clock = new VirtualClock(0);
    let done = false;
    clock.setTimer(() => void setImmediate(() => (done = true)), 10);
    await clock.advanceMs(10);
    expect(done).toBe(true);
  });

  it('does not fire a cancelled timer, and takes a second cancel and one that comes after it has fired', async () => {
    const clock = new VirtualClock(0);
    let fired = 0;
    const cancelled = clock.setTimer(() => fired++, 10);
    const other = clock.setTimer(() => fired++, 10);
    expect(clock.pendingTimers).toBe(2);
    cancelled.cancel();
    cancelled.cancel();
    expect(clock.pendingTimers).toBe(1);
    await clock.advanceMs(10);
    other.cancel();
    expect(fired).toBe(1);
  });

  it('does not fire a timer that an earlier one of the same time cancels', async () => {
    const clock = new VirtualClock(0);
    let fired = false;
    const timers = [clock.setTimer(() => timers[1]?.cancel(), 10), clock.setTimer(() => (fired = true), 10)];
    await clock.advanceMs(10);
    expect(fired).toBe(false);
  });

  it('fires what fell due during a jump only when it is advanced, with the clock where it is', async () => {
    const clock = new VirtualClock(0);
    const firedAt: number[] = [];
    clock.setTimer(() => firedAt.push(clock.nowMs()), 10);
    clock.jumpMs(1_000);
    expect(firedAt).toEqual([]);
    expect([clock.nowMs(), clock.monotonicMs()]).toEqual([1_000, 1_000]);
    await clock.advanceMs(0);
    expect(firedAt).toEqual([1_000]);
    expect(clock.nowMs()).toBe(1_000);
  });

  it('never goes back when a callback jumps beyond the end of the advance', async () => {
    const clock = new VirtualClock(0);
    clock.setTimer(() => clock.jumpMs(1_000), 10);
    await clock.advanceMs(20);
    expect(clock.nowMs()).toBe(1_010);
  });

  it('never goes back when a shorter advance ends after a longer one', async () => {
    const clock = new VirtualClock(0);
    await Promise.all([clock.advanceMs(0), clock.advanceMs(50), clock.advanceMs(10)]);
    expect(clock.nowMs()).toBe(50);
  });

  it.each([-1, NaN, Infinity])('refuses to advance or jump by %d ms', async (byMs) => {
    const clock = new VirtualClock(0);
    const refusal = expect.objectContaining({ code: 'invalid_argument', field: 'byMs' });
    await expect(clock.advanceMs(byMs)).rejects.toEqual(refusal);
    expect(() => clock.jumpMs(byMs)).toThrow(refusal);
    expect(clock.nowMs()).toBe(0);
  });

  it('rejects with what a callback throws, at its time', async () => {
    const clock = new VirtualClock(0);
    clock.setTimer(() => {
      throw new Error('broken callback');
    }, 10);
    await expect(clock.advanceMs(100)).rejects.toThrow('broken callback');
    expect(clock.nowMs()).toBe(10);
    expect(clock.pendingTimers).toBe(0);
  });

  it('C14 cuts a delay as the real clock does', async () => {
    const clock = new VirtualClock(0);
    const firedAt: number[] = [];
    clock.setTimer(() => firedAt.push(clock.nowMs()), 2 ** 32);
    await clock.advanceMs(2 ** 32);
    expect(firedAt).toEqual([MAX_TIMER_MS]);
  });

  it('takes a negative delay as none', async () => {
    const clock = new VirtualClock(0);
    const firedAt: number[] = [];
    clock.setTimer(() => firedAt.push(clock.nowMs()), -5);
    await clock.advanceMs(0);
    expect(firedAt).toEqual([0]);
  });
});
