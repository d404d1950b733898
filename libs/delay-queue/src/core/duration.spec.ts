import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MAX_DELAY_MS, parseDurationMs } from './duration.js';
import { InvalidArgumentError } from './errors.js';

const refusal = (field: string, problem: string) =>
  expect.objectContaining({ code: 'invalid_argument', field, message: `${field}: ${problem}` });

describe('parseDurationMs', () => {
  it.each([
    [undefined, "must be milliseconds or a text such as '30m', got undefined"],
    [null, "must be milliseconds or a text such as '30m', got null"],
    [1n, "must be milliseconds or a text such as '30m', got bigint"],
    [true, "must be milliseconds or a text such as '30m', got boolean"],
    [{}, "must be milliseconds or a text such as '30m', got object"],
    [['5s'], "must be milliseconds or a text such as '30m', got object"],
    [new Date(), "must be milliseconds or a text such as '30m', got a Date (use `at` for a point in time)"],
    [NaN, 'must be finite, got NaN'],
    [Infinity, 'must be finite, got Infinity'],
    [-Infinity, 'must be finite, got -Infinity'],
    [-1, 'must not be negative, got -1'],
    [-0.4, 'must not be negative, got -0.4'],
    ['-5m', "must not be negative, got '-5m'"],
    ['1200', "must be a number with a unit, such as '30m', got '1200'"],
    ['1.5', "must be a number with a unit, such as '30m', got '1.5'"],
    ['', "must be a number with a unit, such as '30m', got ''"],
    [' ', "must be a number with a unit, such as '30m', got ' '"],
    ['m', "must be a number with a unit, such as '30m', got 'm'"],
    ['soon', "must be a number with a unit, such as '30m', got 'soon'"],
    ['1h 30m', "must be a number with a unit, such as '30m', got '1h 30m'"],
    ['1e3s', "must be a number with a unit, such as '30m', got '1e3s'"],
    ['Infinity s', "must be a number with a unit, such as '30m', got 'Infinity s'"],
    [2 ** 53, `must be at most ${MAX_DELAY_MS} ms, got 9007199254740992 ms`],
    ['101y', `must be at most ${MAX_DELAY_MS} ms, got 3187317600000 ms`],
  ])('C15 refuses %p with a typed error that names the field', (value, problem) => {
    expect(() => parseDurationMs(value, 'items[3].delay')).toThrow(refusal('items[3].delay', problem));
    expect(() => parseDurationMs(value, 'items[3].delay')).toThrow(InvalidArgumentError);
  });

  it('reads each text anew, whatever it has read before', () => {
    const read = (text: string): number => parseDurationMs(text, 'delay');
    expect([read('1s'), read('1s'), read('2s'), read('1s')]).toEqual([1_000, 1_000, 2_000, 1_000]);
    expect(() => read('soon')).toThrow(InvalidArgumentError);
    expect(() => read('soon')).toThrow(InvalidArgumentError);
    expect(read('1s')).toBe(1_000);
  });

  it.each([
    [0, 0],
    [0.4, 1],
    [1, 1],
    [1.5, 2],
    [2 ** 31, 2 ** 31],
    ['0s', 0],
    ['0.4ms', 1],
    ['1.5ms', 2],
    ['250ms', 250],
    ['250 milliseconds', 250],
    ['1s', 1_000],
    ['1.5 secs', 1_500],
    ['.5s', 500],
    ['30m', 1_800_000],
    ['30M', 1_800_000],
    ['2 minutes', 120_000],
    ['1.5h', 5_400_000],
    ['10 days', 864_000_000],
    ['2w', 1_209_600_000],
    ['1y', 31_557_600_000],
  ])('C15 takes %p for %d ms', (value, expectedMs) => {
    expect(parseDurationMs(value, 'delay')).toBe(expectedMs);
  });

  it.each([-0, '-0s', '-0.0m'])('C15 takes %p for a plain zero', (value) => {
    expect(Object.is(parseDurationMs(value, 'delay'), 0)).toBe(true);
  });

  it.each([
    ['0.07s', 70],
    ['1.001s', 1_001],
    ['2.01s', 2_010],
    ['8.2s', 8_200],
    ['0.0007m', 42],
  ])('does not take the rounding error of %p for a fraction', (value, expectedMs) => {
    expect(parseDurationMs(value, 'delay')).toBe(expectedMs);
  });

  it('reads a decimal number of seconds exactly, whatever its length', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: MAX_DELAY_MS }), (wantedMs) => {
        const seconds = `${Math.floor(wantedMs / 1_000)}.${String(wantedMs % 1_000).padStart(3, '0')}`;
        return parseDurationMs(`${seconds}s`, 'delay') === wantedMs;
      }),
    );
  });

  it('rounds every fraction up to the next whole millisecond', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: MAX_DELAY_MS, noNaN: true }), (value) => {
        const parsedMs = parseDurationMs(value, 'delay');
        return Number.isInteger(parsedMs) && parsedMs >= value && (parsedMs === 0 || parsedMs - 1 < value);
      }),
    );
  });

  it('takes 100 years, and not a millisecond more', () => {
    expect(MAX_DELAY_MS).toBe(3_155_760_000_000);
    expect(parseDurationMs('100y', 'delay')).toBe(MAX_DELAY_MS);
    expect(parseDurationMs(MAX_DELAY_MS, 'delay')).toBe(MAX_DELAY_MS);
    expect(() => parseDurationMs(MAX_DELAY_MS + 0.5, 'delay')).toThrow(
      refusal('delay', 'must be at most 3155760000000 ms, got 3155760000001 ms'),
    );
  });

  it('keeps to the bounds of its caller, which belong to what is allowed', () => {
    const bounds = { minMs: 100, maxMs: 200 };
    expect(parseDurationMs(100, 'lease', bounds)).toBe(100);
    expect(parseDurationMs(99.5, 'lease', bounds)).toBe(100);
    expect(parseDurationMs('0.2s', 'lease', bounds)).toBe(200);
    expect(() => parseDurationMs(99, 'lease', bounds)).toThrow(refusal('lease', 'must be at least 100 ms, got 99 ms'));
    expect(() => parseDurationMs('201ms', 'lease', bounds)).toThrow(
      refusal('lease', 'must be at most 200 ms, got 201 ms'),
    );
  });

  it('reads a text of 100 characters, and no longer one', () => {
    expect(parseDurationMs('1s'.padStart(100, '0'), 'delay')).toBe(1_000);
    expect(() => parseDurationMs('1s'.padStart(101, '0'), 'delay')).toThrow(InvalidArgumentError);
  });

  it('does not put a whole novel into its error', () => {
    const novel = 'x'.repeat(100_000);
    expect(() => parseDurationMs(novel, 'delay')).toThrow(
      refusal('delay', `must be a number with a unit, such as '30m', got '${'x'.repeat(40)}'`),
    );
  });
});
