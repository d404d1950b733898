import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { MAX_TIMER_MS, systemClock } from './clock.js';

describe('systemClock', () => {
  beforeEach(() => {
    jest.useFakeTimers({ now: 1_000_000 });
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  it('tells the wall-clock time, and a monotonic time that a step of the wall clock does not touch', () => {
    const monotonicMs = systemClock.monotonicMs();
    jest.setSystemTime(5_000_000);
    expect(systemClock.nowMs()).toBe(5_000_000);
    expect(systemClock.monotonicMs()).toBe(monotonicMs);
    jest.advanceTimersByTime(250);
    expect(systemClock.nowMs()).toBe(5_000_250);
    expect(systemClock.monotonicMs() - monotonicMs).toBeCloseTo(250);
  });

  it('calls back once, after the delay', () => {
    const callback = jest.fn();
    systemClock.setTimer(callback, 100);
    jest.advanceTimersByTime(99);
    expect(callback).not.toHaveBeenCalled();
    jest.advanceTimersByTime(1_000);
    expect(callback).toHaveBeenCalledTimes(1);
  });

  it('does not call back when the timer was cancelled, and takes a second cancel', () => {
    const callback = jest.fn();
    const timer = systemClock.setTimer(callback, 100);
    timer.cancel();
    timer.cancel();
    jest.advanceTimersByTime(1_000);
    expect(callback).not.toHaveBeenCalled();
    expect(jest.getTimerCount()).toBe(0);
  });

  it.each([2 ** 31, 2 ** 32 + 5_000, Infinity])('C14 cuts a delay of %d ms to what one timer can hold', (delayMs) => {
    const setTimeoutSpy = jest.spyOn(globalThis, 'setTimeout');
    systemClock.setTimer(() => undefined, delayMs).cancel();
    expect(setTimeoutSpy.mock.calls.map(([, setMs]) => setMs)).toEqual([MAX_TIMER_MS]);
    setTimeoutSpy.mockRestore();
  });

  it('C14 knows the longest delay that Node does not turn into 1 ms', () => {
    expect(MAX_TIMER_MS).toBe(2_147_483_647);
  });

  it('takes a negative delay as none', () => {
    const setTimeoutSpy = jest.spyOn(globalThis, 'setTimeout');
    systemClock.setTimer(() => undefined, -5).cancel();
    expect(setTimeoutSpy.mock.calls.map(([, setMs]) => setMs)).toEqual([0]);
    setTimeoutSpy.mockRestore();
  });
});
