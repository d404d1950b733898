import { describe, expect, it } from '@jest/globals';
import { ConfigurationError } from '../core/errors.js';
import type { DelayQueueModuleOptions } from './delay-queue-module-options.js';
import { resolveStorage } from './resolve-storage.js';

function refusal(options: unknown): ConfigurationError {
  try {
    resolveStorage(options as DelayQueueModuleOptions);
  } catch (error) {
    if (error instanceof ConfigurationError) return error;
    throw error;
  }
  throw new Error('expected a ConfigurationError');
}

describe('resolveStorage', () => {
  it('takes a connection, or the embedded store', () => {
    const url = 'redis://localhost:6379';
    expect(resolveStorage({ connection: url })).toEqual({ kind: 'redis', connection: url });
    expect(resolveStorage({ connection: url, embedded: false })).toMatchObject({ kind: 'redis' });
    expect(resolveStorage({ embedded: true })).toEqual({ kind: 'embedded' });
    expect(resolveStorage({ embedded: true, connection: undefined })).toEqual({ kind: 'embedded' });
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
  ])('refuses %s by name', (_, options, field) => {
    expect(refusal(options).field).toBe(field);
  });
});
