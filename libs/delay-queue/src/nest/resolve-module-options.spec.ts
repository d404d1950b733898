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
  it('runs handlers, and starts them with the application, unless it is told otherwise', () => {
    expect(resolveModuleOptions({ embedded: true })).toMatchObject({ consume: true, autoStart: true });
    const off = { embedded: true, consume: false, autoStart: false };
    expect(resolveModuleOptions(off)).toMatchObject({ consume: false, autoStart: false });
  });

  it.each<[string, unknown, string]>([
    ['consume as a text', { embedded: true, consume: 'false' }, 'consume'],
    ['autoStart as null', { embedded: true, autoStart: null }, 'autoStart'],
    ['a name that a factory made', { embedded: true, name: 'reports' }, 'name'],
    ['tracing as a switch', { embedded: true, tracing: true }, 'tracing'],
    ['tracing as null', { embedded: true, tracing: null }, 'tracing'],
    ['half a tracer', { embedded: true, tracing: { running: () => null } }, 'tracing'],
    ['no object', 'redis://localhost', 'options'],
    ['null', null, 'options'],
    ['a misspelt option', { embedded: true, prefx: 'shop' }, 'prefx'],
    ['a bad duration', { embedded: true, shutdownTimeout: '25' }, 'shutdownTimeout'],
    ['a bad setting of a type', { embedded: true, types: { a: { partitions: 0 } } }, 'types.a.partitions'],
  ])('refuses %s by name', (_, options, field) => {
    expect(refusal(options).field).toBe(field);
  });

  it('traces by the tracer that is given, and not at all without one', () => {
    const tracing = { scheduling: () => null, running: () => null };
    expect(resolveModuleOptions({ embedded: true, tracing }).tracer).toBe(tracing);
    expect(resolveModuleOptions({ embedded: true }).tracer).toBeNull();
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
