import { describe, expect, it } from '@jest/globals';
import { newLife } from '../core/ids.js';
import { decodeEnvelope, encodeEnvelope } from './envelope.js';
import { ledgerRowOf, withLedgerCheck } from './ledger-envelope.js';

const PARTS = { payloadJson: '{"orderId":"é😀"}', life: newLife(1_767_225_600_000) };

describe('withLedgerCheck', () => {
  it('adds a mark, which is none of the headers that handlers see, and changes nothing else', () => {
    const envelope = encodeEnvelope({
      ...PARTS,
      overrides: { maxRetries: 2 },
      headers: { trace: 'a' },
      ledgerRow: 'r',
    });
    const marked = decodeEnvelope(withLedgerCheck(envelope));
    expect(marked).toEqual({ ...decodeEnvelope(envelope), ledgerCheck: true });
    expect(marked.headers).toEqual({ trace: 'a' });
    expect(withLedgerCheck(withLedgerCheck(envelope))).toBe(withLedgerCheck(envelope));
  });

  it('needs no headers', () => {
    const envelope = encodeEnvelope({ ...PARTS, ledgerRow: 'r' });
    expect(decodeEnvelope(withLedgerCheck(envelope))).toMatchObject({
      ledgerRow: 'r',
      overrides: {},
      headers: {},
      ledgerCheck: true,
    });
  });
});

describe('ledgerRowOf', () => {
  it.each([
    [encodeEnvelope({ ...PARTS, ledgerRow: 'r' }), 'r'],
    [encodeEnvelope(PARTS), null],
    ['', null],
    ['{}', null],
    ['[1,null,"x",null,null,7]', null],
  ])('of %s', (envelope, row) => {
    expect(ledgerRowOf(envelope)).toBe(row);
  });
});
