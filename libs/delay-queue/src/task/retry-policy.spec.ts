import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Backoff, type CustomBackoff, DEFAULT_BACKOFF, retriesUsedUp, retryDelay } from './retry-policy.js';

const delayOf = (backoff: Backoff, failures: number, random?: () => number): number =>
  retryDelay({ backoff, failures, error: undefined, ...(random === undefined ? {} : { random }) }).delayMs;

const noJitter = { ...DEFAULT_BACKOFF, jitter: 0 };

/** Uniform in [0, 1), as Math.random is. */
const share = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('retryDelay, exponential', () => {
  it('C26 doubles from 5 s and stops at 1 h by default', () => {
    const delays = Array.from({ length: 12 }, (_, index) => delayOf(noJitter, index + 1) / 1_000);
    expect(delays).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 1_280, 2_560, 3_600, 3_600]);
    expect(DEFAULT_BACKOFF).toEqual({ type: 'exponential', baseMs: 5_000, maxMs: 3_600_000, jitter: 0.2 });
  });

  it.each([10, 60, 1_100, Number.MAX_SAFE_INTEGER])(
    'C26 is finite and at most the cap after %d failures',
    (failures) => {
      for (const random of [() => 0, () => 0.5, () => 1 - 2 ** -53]) {
        const delayMs = delayOf(DEFAULT_BACKOFF, failures, random);
        expect(delayMs).toBe(Math.ceil(Math.min(3_600_000, 5_000 * 2 ** (failures - 1)) * (1 - 0.2 * random())));
        expect(delayMs).toBeLessThanOrEqual(3_600_000);
      }
    },
  );

  it('C26 keeps jitter inside its bounds, whole and finite, at every setting and count', () => {
    fc.assert(
      fc.property(
        fc.record({
          baseMs: fc.integer({ min: 1, max: 3_155_760_000_000 }),
          maxMs: fc.integer({ min: 1, max: 3_155_760_000_000 }),
          jitter: fc.double({ min: 0, max: 1, noNaN: true }),
          failures: fc.oneof(fc.integer({ min: 1, max: 70 }), fc.integer({ min: 1, max: 2_000 })),
          random: share,
        }),
        ({ baseMs, maxMs, jitter, failures, random }) => {
          const delayMs = delayOf({ type: 'exponential', baseMs, maxMs, jitter }, failures, () => random);
          const fullMs = Math.min(maxMs, baseMs * 2 ** (failures - 1));
          return Number.isSafeInteger(delayMs) && delayMs <= fullMs && delayMs >= Math.floor(fullMs * (1 - jitter));
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('spreads over the whole of its jitter', () => {
    expect(delayOf(DEFAULT_BACKOFF, 1, () => 0)).toBe(5_000);
    expect(delayOf(DEFAULT_BACKOFF, 1, () => 0.5)).toBe(4_500);
    expect(delayOf(DEFAULT_BACKOFF, 1, () => 0.999_999)).toBe(4_001);
    expect(delayOf({ ...DEFAULT_BACKOFF, jitter: 1 }, 1, () => 0.75)).toBe(1_250);
  });

  it('is random when nobody says otherwise', () => {
    const delays = new Set(Array.from({ length: 200 }, () => delayOf(DEFAULT_BACKOFF, 10)));
    expect(delays.size).toBeGreaterThan(50);
  });
});

describe('retryDelay, fixed', () => {
  it('waits the same after every failure, less the jitter', () => {
    const backoff = { type: 'fixed', delayMs: 10_000, jitter: 0.1 } as const;
    for (const failures of [1, 60, 1_100]) {
      expect(delayOf(backoff, failures, () => 0)).toBe(10_000);
      expect(delayOf(backoff, failures, () => 0.5)).toBe(9_500);
    }
    expect(delayOf({ ...backoff, delayMs: 0 }, 1)).toBe(0);
  });
});

describe('retryDelay, custom', () => {
  const custom = (delay: CustomBackoff['delay'], maxMs = 60_000): CustomBackoff => ({ type: 'custom', delay, maxMs });

  it('asks the function, with the failures and the error', () => {
    const asked: unknown[] = [];
    const error = new Error('closed');
    const backoff = custom((...args) => {
      asked.push(args);
      return 7_000;
    });
    expect(retryDelay({ backoff, failures: 3, error })).toEqual({ delayMs: 7_000 });
    expect(asked).toEqual([[3, error]]);
  });

  it.each([
    [0, 0],
    [0.2, 1],
    [1.5, 2],
    [60_000, 60_000],
    [60_000.5, 60_000],
    [Number.MAX_VALUE, 60_000],
  ])('rounds %d up, to at most the cap: %d', (result, expectedMs) => {
    expect(
      delayOf(
        custom(() => result),
        1,
      ),
    ).toBe(expectedMs);
  });

  it.each([
    ['NaN', NaN],
    ['-5', -5],
    ['-0.5', -0.5],
    ['Infinity', Infinity],
    ['-Infinity', -Infinity],
    ['undefined', undefined],
    ['null', null],
    ['5000', '5000'],
    ['1', 1n],
    ['[object Promise]', Promise.resolve(5)],
  ])('C26 falls back to the default and says so when it returns %s', (shown, result) => {
    const backoff = custom(() => result as number);
    const { delayMs, customBackoffProblem } = retryDelay({ backoff, failures: 2, error: null, random: () => 0.5 });
    expect(delayMs).toBe(9_000);
    expect(customBackoffProblem).toBeInstanceOf(RangeError);
    expect(customBackoffProblem?.message).toBe(`custom back-off returned ${shown}`);
  });

  it.each<[unknown]>([[new Error('broken')], ['text'], [null], [undefined]])(
    'C26 falls back to the default and says so when it throws %p',
    (thrown) => {
      const backoff = custom(() => {
        throw thrown;
      });
      const { delayMs, customBackoffProblem } = retryDelay({ backoff, failures: 2, error: null, random: () => 0.5 });
      expect(delayMs).toBe(9_000);
      expect(customBackoffProblem).toMatchObject({ message: 'custom back-off threw', cause: thrown });
    },
  );

  it('C26 falls back, too, when the result cannot even be shown', () => {
    const backoff = custom(() => Object.create(null) as number);
    const { delayMs, customBackoffProblem } = retryDelay({ backoff, failures: 1, error: null, random: () => 0 });
    expect(delayMs).toBe(5_000);
    expect(customBackoffProblem).toBeInstanceOf(Error);
  });
});

describe('retriesUsedUp', () => {
  it.each([
    [0, 0, true],
    [0, 1, false],
    [1, 1, true],
    [2, 3, false],
    [3, 3, true],
    [9, 3, true],
  ])('C25 after %d earlier failures, with %d retries: %p', (failuresBefore, maxRetries, expected) => {
    expect(retriesUsedUp(failuresBefore, maxRetries)).toBe(expected);
  });
});
