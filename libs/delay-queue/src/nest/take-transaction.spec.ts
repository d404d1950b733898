import { describe, expect, it } from '@jest/globals';
import { InvalidArgumentError } from '../core/errors.js';
import { takeTransaction } from './take-transaction.js';

const tx = { query: () => Promise.resolve([]) };

describe('takeTransaction', () => {
  it('takes the transaction out and leaves the rest', () => {
    expect(takeTransaction({ delay: 5, tx })).toEqual({ tx, rest: { delay: 5 } });
  });

  it.each([undefined, null, 7, { delay: 5 }, 'x'])('leaves %p to others', (options) => {
    expect(takeTransaction(options)).toEqual({ tx: null, rest: options });
  });

  it.each([undefined, null, 'BEGIN', 7, true])('refuses %p as a transaction', (value) => {
    expect(() => takeTransaction({ tx: value })).toThrow(InvalidArgumentError);
    expect(() => takeTransaction({ tx: value })).toThrow(/^tx: must be the transaction, got/);
  });

  it('refuses durability beside it', () => {
    expect(() => takeTransaction({ tx, durability: { replicas: 1, timeoutMs: 5 } })).toThrow(/^durability: /);
  });
});
