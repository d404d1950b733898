import { describe, expect, it } from '@jest/globals';
import { retryDelay } from '../task/retry-policy.js';
import type { TaskTypeOptions } from './queue-options.js';
import { QueueSettings } from './queue-settings.js';
import { retryHorizonMs } from './retry-horizon.js';

const settingsWith = (options: TaskTypeOptions) => new QueueSettings({ types: { t: options } }).forType('t');
const horizonOf = (options: TaskTypeOptions): number => retryHorizonMs(settingsWith(options));
const NO_LEASES = { maxLostLeases: 1, lease: 100 } as const;

describe('retryHorizonMs', () => {
  it('is 35 s of waits and five leases by default', () => {
    expect(horizonOf({})).toBe(35_000 + 5 * 30_000);
  });

  it('counts every try with the time limit of the handler', () => {
    expect(
      horizonOf({ ...NO_LEASES, maxRetries: 2, backoff: { type: 'fixed', delay: 7 }, handlerTimeout: 1_000 }),
    ).toBe(2 * 7 + 3 * 1_000 + 100);
    expect(horizonOf({ ...NO_LEASES, maxRetries: 0, handlerTimeout: 1_000 })).toBe(1_000 + 100);
  });

  it.each([
    [3, 5_000, 3_600_000],
    [12, 5_000, 3_600_000],
    [1_000, 1, 1],
    [4, 1_000, 8_000],
    [5, 3, 10],
  ])('adds up the longest waits: %i retries from %i ms to %i ms', (maxRetries, base, max) => {
    const options: TaskTypeOptions = {
      ...NO_LEASES,
      maxRetries,
      backoff: { type: 'exponential', base, max, jitter: 0 },
    };
    const { backoff } = settingsWith(options);
    let waitsMs = 0;
    for (let failures = 1; failures <= maxRetries; failures++) {
      waitsMs += retryDelay({ backoff, failures, error: null }).delayMs;
    }
    expect(horizonOf(options)).toBe(waitsMs + 100);
  });

  it('stays finite with any number of retries, and takes a custom back-off at its longest', () => {
    expect(horizonOf({ maxRetries: Number.MAX_SAFE_INTEGER })).toBeLessThan(Infinity);
    const backoff = { type: 'custom', delay: () => 1, max: '1h' } as const;
    expect(horizonOf({ ...NO_LEASES, maxRetries: 2, backoff })).toBe(2 * 3_600_000 + 100);
  });
});
