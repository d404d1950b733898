import { describe, expect, it } from '@jest/globals';
import { ConfigurationError } from '../core/errors.js';
import { resolveIdempotency } from './resolved-idempotency.js';

describe('resolveIdempotency', () => {
  it('fills in the own mark, a day, and no result', () => {
    expect(resolveIdempotency({}, 'X.y')).toEqual({ keyOf: null, ttlMs: 86_400_000, keepResult: false });
  });

  it('takes the function that makes the key, and a duration', () => {
    const key = (): string => 'k';
    expect(resolveIdempotency({ key, ttl: '7d', keepResult: true }, 'X.y')).toEqual({
      keyOf: key,
      ttlMs: 604_800_000,
      keepResult: true,
    });
  });

  it.each<[string, unknown, string]>([
    ['key', { key: 'order' }, 'must be a function of payload and task'],
    ['ttl', { ttl: '1200' }, 'must be a number with a unit'],
    ['ttl', { ttl: 0 }, 'must be at least 1 ms'],
    ['keepResult', { keepResult: 1 }, ''],
    ['lease', { lease: '1s' }, 'is not known here'],
  ])('refuses %s as in %j, and names the handler', (field, options, problem) => {
    const resolve = (): unknown => resolveIdempotency(options, 'Orders.charge');
    expect(resolve).toThrow(ConfigurationError);
    expect(resolve).toThrow(`Orders.charge: @Idempotent.${field}: ${problem}`);
  });
});
