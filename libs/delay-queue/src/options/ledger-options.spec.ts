import { describe, expect, it } from '@jest/globals';
import { ConfigurationError } from '../core/errors.js';
import { resolveLedgerOptions } from './ledger-options.js';

describe('resolveLedgerOptions', () => {
  it('has a default for everything', () => {
    expect(resolveLedgerOptions({})).toEqual({
      types: null,
      relayEveryMs: 5_000,
      sweepEveryMs: 300_000,
      keepDoneMs: 7 * 86_400_000,
      keepDeadMs: 30 * 86_400_000,
      rebuildRate: 5_000,
    });
  });

  it('takes what is given', () => {
    const options = { types: ['a', 'b'], relayEvery: '2s', sweepEvery: 60_000, keepDone: 0, rebuildRate: 10 };
    expect(resolveLedgerOptions(options)).toMatchObject({
      types: new Set(['a', 'b']),
      relayEveryMs: 2_000,
      sweepEveryMs: 60_000,
      keepDoneMs: 0,
      rebuildRate: 10,
    });
  });

  it.each([
    [{ types: ['no type'] }, 'ledger.types.0'],
    [{ types: 'a' }, 'ledger.types'],
    [{ relayEvery: 0 }, 'ledger.relayEvery'],
    [{ relayEvery: '25 days' }, 'ledger.relayEvery'],
    [{ sweepEvery: 'soon' }, 'ledger.sweepEvery'],
    [{ keepDone: -1 }, 'ledger.keepDone'],
    [{ rebuildRate: 0 }, 'ledger.rebuildRate'],
    [{ rebuildRate: 1.5 }, 'ledger.rebuildRate'],
    [{ sweep: '5m' }, 'ledger.sweep'],
    [null, 'ledger'],
  ])('refuses %o by the name of %s', (options, field) => {
    expect(() => resolveLedgerOptions(options)).toThrow(ConfigurationError);
    expect(() => resolveLedgerOptions(options)).toThrow(expect.objectContaining({ field }));
  });
});
