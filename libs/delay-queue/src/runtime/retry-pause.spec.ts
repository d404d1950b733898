import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { VirtualClock } from '../core/virtual-clock.js';
import { RetryPause } from './retry-pause.js';

describe('RetryPause', () => {
  let clock: VirtualClock;
  let over: number;
  let overAtMs: number;
  let pause: RetryPause;

  beforeEach(() => {
    clock = new VirtualClock();
    over = 0;
    overAtMs = Infinity;
    pause = new RetryPause(clock, () => {
      over++;
      overAtMs = clock.monotonicMs();
    });
  });

  async function lengthOfNextPause(): Promise<number> {
    const startedAtMs = clock.monotonicMs();
    pause.failed();
    await clock.advanceMs(2_000);
    return overAtMs - startedAtMs;
  }

  it('is not active before the first failure', () => {
    expect(pause.active).toBe(false);
    expect(clock.pendingTimers).toBe(0);
  });

  it('is active from a failure until it is over, and calls back once', async () => {
    pause.failed();
    expect(pause.active).toBe(true);
    await clock.advanceMs(50);
    expect(pause.active).toBe(false);
    await clock.advanceMs(5_000);
    expect(over).toBe(1);
  });

  it('is no longer active when it calls back, so that a call can be sent from there', async () => {
    const seen: boolean[] = [];
    pause = new RetryPause(clock, () => seen.push(pause.active));
    pause.failed();
    await clock.advanceMs(1_000);
    expect(seen).toEqual([false]);
  });

  it('doubles with every failure, up to a second, and takes up to half off at random', async () => {
    const lengths: number[] = [];
    for (let failure = 0; failure < 10; failure++) lengths.push(await lengthOfNextPause());
    [50, 100, 200, 400, 800, 1_000, 1_000, 1_000, 1_000, 1_000].forEach((fullMs, index) => {
      expect(lengths[index]).toBeGreaterThanOrEqual(fullMs / 2);
      expect(lengths[index]).toBeLessThanOrEqual(fullMs);
    });
  });

  it.each([
    [0, 25],
    [0.5, 37.5],
    [0.999, 49.975],
  ])('is shortened by chance: %d makes the first pause %d ms', async (chance, expectedMs) => {
    const random = jest.spyOn(Math, 'random').mockReturnValue(chance);
    pause.failed();
    random.mockRestore();
    await clock.advanceMs(expectedMs - 0.01);
    expect(over).toBe(0);
    await clock.advanceMs(0.02);
    expect(over).toBe(1);
  });

  it('is short again after a success', async () => {
    for (let failure = 0; failure < 8; failure++) await lengthOfNextPause();
    pause.succeeded();
    expect(await lengthOfNextPause()).toBeLessThanOrEqual(51);
  });

  it('stays within a second after an outage of any length', async () => {
    for (let failure = 0; failure < 2_000; failure++) pause.failed();
    expect(clock.pendingTimers).toBe(1);
    await clock.advanceMs(1_000);
    expect(over).toBe(1);
  });

  it('never calls back once it is closed', async () => {
    pause.failed();
    pause.close();
    await clock.advanceMs(5_000);
    expect(over).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });
});
