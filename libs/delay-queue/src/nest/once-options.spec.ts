import { describe, expect, it } from '@jest/globals';
import { InvalidArgumentError } from '../core/errors.js';
import { readOnceOptions } from './once-options.js';

describe('readOnceOptions', () => {
  it('fills in a day, no result, and half a minute of waiting', () => {
    expect(readOnceOptions({})).toEqual({ ttlMs: 86_400_000, keepResult: false, waitMs: 30_000 });
    expect(readOnceOptions({ ttl: undefined, wait: undefined })).toEqual(readOnceOptions({}));
  });

  it('reads durations', () => {
    const options = { ttl: '7d', keepResult: true, wait: 0 };
    expect(readOnceOptions(options)).toEqual({ ttlMs: 604_800_000, keepResult: true, waitMs: 0 });
  });

  it.each<[string, unknown]>([
    ['ttl', { ttl: 0 }],
    ['ttl', { ttl: '1200' }],
    ['ttl', { ttl: null }],
    ['wait', { wait: -1 }],
    ['keepResult', { keepResult: 'yes' }],
    ['lease', { lease: '30s' }],
    ['options', null],
    ['options', 'ttl'],
  ])('refuses %s as in %j', (field, options) => {
    expect(() => readOnceOptions(options)).toThrow(InvalidArgumentError);
    expect(() => readOnceOptions(options)).toThrow(new RegExp(`^${field}: `));
  });
});
