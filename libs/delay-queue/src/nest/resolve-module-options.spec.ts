import { describe, expect, it } from '@jest/globals';
import { ConfigurationError } from '../core/errors.js';
import type { DelayQueueModuleOptions } from './delay-queue-module-options.js';
import { resolveModuleOptions } from './resolve-module-options.js';

function refusal(options: unknown): ConfigurationError {
  try {
    resolveModuleOptions(options as DelayQueueModuleOptions);
  } catch (error) {
    if (error instanceof ConfigurationError) return error;
    throw error;
  }
  throw new Error('expected a ConfigurationError');
}

describe('resolveModuleOptions', () => {
  it('takes a connection, or the embedded store', () => {
    const url = 'redis://localhost:6379';
    expect(resolveModuleOptions({ connection: url }).storage).toEqual({ kind: 'redis', connection: url });
    expect(resolveModuleOptions({ connection: url, embedded: false }).storage).toMatchObject({ kind: 'redis' });
    expect(resolveModuleOptions({ embedded: true }).storage).toEqual({ kind: 'embedded' });
    expect(resolveModuleOptions({ embedded: true, connection: undefined }).storage).toEqual({ kind: 'embedded' });
  });

  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['empty', ''],
  ])('C56 a connection that is %s says that its variable is probably not set, and what to do', (value, connection) => {
    const { code, field, message } = refusal({ connection, prefix: 'shop' });
    expect([code, field]).toEqual(['configuration', 'connection']);
    expect(message).toContain(`is ${value}, so the environment variable behind it is probably not set`);
    expect(message).toContain('redis://');
    expect(message).toContain('embedded: true');
  });

  it('C56 no connection at all says what to do', () => {
    const { field, message } = refusal({});
    expect(field).toBe('connection');
    expect(message).toContain('is required');
    expect(message).toContain('embedded: true');
  });

  it.each<[string, unknown, string]>([
    ['both', { connection: 'redis://localhost', embedded: true }, 'embedded'],
    ['embedded as a text', { embedded: 'true' }, 'embedded'],
    ['no object', 'redis://localhost', 'options'],
    ['null', null, 'options'],
    ['a misspelt option', { embedded: true, prefx: 'shop' }, 'prefx'],
    ['a bad duration', { embedded: true, shutdownTimeout: '25' }, 'shutdownTimeout'],
    ['a bad setting of a type', { embedded: true, types: { a: { partitions: 0 } } }, 'types.a.partitions'],
  ])('refuses %s by name', (_, options, field) => {
    expect(refusal(options).field).toBe(field);
  });

  it.each(['', 'a:b', 'a b', '{shop}', 'a}', 'é', 'x'.repeat(101), 7])(
    'C58 refuses the prefix %p by name',
    (prefix) => {
      expect(refusal({ embedded: true, prefix }).field).toBe('prefix');
    },
  );

  it.each(['', 'a:b', 'a b', '{a}'])('C58 refuses the type %p in `types` by name', (type) => {
    expect(refusal({ embedded: true, types: { [type]: {} } }).field).toBe(`types.${type}`);
  });

  it('leaves the options of the caller as they are', () => {
    const options = Object.freeze({ embedded: true, types: Object.freeze({ a: Object.freeze({ partitions: 2 }) }) });
    expect(resolveModuleOptions(options).settings.forType('a').partitions).toBe(2);
  });
});
