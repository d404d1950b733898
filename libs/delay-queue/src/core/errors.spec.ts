import { describe, expect, it } from '@jest/globals';
import {
  ConfigurationError,
  DelayQueueError,
  InvalidArgumentError,
  InvalidPayloadError,
  isStoreError,
  QueueClosedError,
  StoreRejectedError,
  StoreUnavailableError,
} from './errors.js';

const cause = new Error('cause');

const ERRORS = [
  [new DelayQueueError('partial_schedule', 'm', { cause }), 'DelayQueueError', 'partial_schedule', 'm'],
  [new InvalidArgumentError('delay', 'is odd', { cause }), 'InvalidArgumentError', 'invalid_argument', 'delay: is odd'],
  [
    new InvalidPayloadError('payload.a', 'is odd', { cause }),
    'InvalidPayloadError',
    'invalid_payload',
    'payload.a: is odd',
  ],
  [new ConfigurationError('types.a', 'is odd', { cause }), 'ConfigurationError', 'configuration', 'types.a: is odd'],
  [new StoreUnavailableError('unknown', 'm', { cause }), 'StoreUnavailableError', 'store_unavailable', 'm'],
  [new StoreRejectedError('OOM', 'm', { cause }), 'StoreRejectedError', 'store_rejected', 'm'],
] as const;

describe('errors', () => {
  it.each(ERRORS)('%p tells its name and code to programs, and the problem to people', (error, name, code, message) => {
    expect(error).toBeInstanceOf(DelayQueueError);
    expect(error).toBeInstanceOf(Error);
    expect(error.name).toBe(name);
    expect(error.code).toBe(code);
    expect(error.message).toBe(message);
    expect(error.cause).toBe(cause);
  });

  it('keeps the field of a bad argument, payload or option', () => {
    expect(new InvalidArgumentError('items[3].delay', 'x').field).toBe('items[3].delay');
    expect(new InvalidPayloadError('payload.a', 'x').field).toBe('payload.a');
    expect(new ConfigurationError('types.a.partitions', 'x').field).toBe('types.a.partitions');
  });

  it('lists all that is wrong with a payload, and counts what is too much for a message', () => {
    const one = new InvalidPayloadError('payload.a', 'is odd');
    expect(one.issues).toEqual([{ path: 'payload.a', message: 'is odd' }]);
    const issues = Array.from({ length: 12 }, (_, index) => ({ path: `payload[${index}]`, message: 'is odd' }));
    const many = InvalidPayloadError.ofIssues(issues, { cause });
    expect(many).toMatchObject({ code: 'invalid_payload', field: 'payload[0]', issues, cause });
    expect(many.message).toMatch(/^payload\[0\]: is odd; payload\[1\]: is odd; .*payload\[9\]: is odd \(and 2 more\)$/);
    expect(InvalidPayloadError.ofIssues([]).issues).toEqual([{ path: 'payload', message: 'is not acceptable' }]);
  });

  it('has a message of its own for a closed queue', () => {
    expect(new QueueClosedError()).toMatchObject({ name: 'QueueClosedError', code: 'closed' });
    expect(new QueueClosedError().message).toBe('The delay queue is closed.');
    expect(new QueueClosedError('Too late.').message).toBe('Too late.');
  });

  it('C35 says of a failed store call whether it can have been applied; a refusal never was', () => {
    expect(new StoreUnavailableError('not_sent', 'x').outcome).toBe('not_sent');
    expect(new StoreUnavailableError('unknown', 'x').outcome).toBe('unknown');
    expect(new StoreRejectedError('READONLY', 'x')).toMatchObject({ outcome: 'not_sent', reason: 'READONLY' });
  });
});

describe('isStoreError', () => {
  it('knows the two errors that a store call rejects with', () => {
    expect(isStoreError(new StoreUnavailableError('unknown', 'x'))).toBe(true);
    expect(isStoreError(new StoreRejectedError('OOM', 'x'))).toBe(true);
  });

  it.each([new QueueClosedError(), new ConfigurationError('a', 'b'), new Error('x'), null, undefined, 'text'])(
    'does not take %p for one',
    (value) => {
      expect(isStoreError(value)).toBe(false);
    },
  );
});
