import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { newLife } from '../core/ids.js';
import { decodeEnvelope, encodeEnvelope, type EnvelopeParts, UnreadableEnvelopeError } from './envelope.js';

const LIFE = 'm5d4ruo0abc123';

describe('encodeEnvelope', () => {
  it('writes format, payload and life in the common case, and not a byte more', () => {
    expect(encodeEnvelope({ payloadJson: '{"orderId":"42"}', life: LIFE })).toBe(
      '[1,{"orderId":"42"},"m5d4ruo0abc123"]',
    );
  });

  it.each<[EnvelopeParts, string]>([
    [{ payloadJson: 'null', life: LIFE, overrides: {}, headers: {}, ledgerRow: null }, `[1,null,"${LIFE}"]`],
    [{ payloadJson: '1', life: LIFE, overrides: { maxRetries: 0 } }, `[1,1,"${LIFE}",{"maxRetries":0}]`],
    [{ payloadJson: '1', life: LIFE, version: 1 }, `[1,1,"${LIFE}"]`],
    [{ payloadJson: '1', life: LIFE, version: 2 }, `[1,1,"${LIFE}",{"v":2}]`],
    [
      { payloadJson: '1', life: LIFE, version: 3, overrides: { maxRetries: 1 }, ledgerRow: '7' },
      `[1,1,"${LIFE}",{"maxRetries":1,"v":3},null,"7"]`,
    ],
    [{ payloadJson: '1', life: LIFE, headers: { trace: 'a"b' } }, `[1,1,"${LIFE}",null,{"trace":"a\\"b"}]`],
    [{ payloadJson: '1', life: LIFE, ledgerRow: '7' }, `[1,1,"${LIFE}",null,null,"7"]`],
    [
      { payloadJson: '1', life: LIFE, overrides: { maxRetries: 2 }, ledgerRow: '' },
      `[1,1,"${LIFE}",{"maxRetries":2},null,""]`,
    ],
    [
      { payloadJson: '1', life: LIFE, overrides: { maxRetries: 2 }, headers: { a: 'b' }, ledgerRow: '7' },
      `[1,1,"${LIFE}",{"maxRetries":2},{"a":"b"},"7"]`,
    ],
  ])('leaves trailing empty positions out of %j', (parts, expected) => {
    expect(encodeEnvelope(parts)).toBe(expected);
  });
});

describe('decodeEnvelope', () => {
  it('reads back what was written', () => {
    const headers = fc.dictionary(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), {
      noNullPrototype: true,
    });
    const parts = fc.record({
      payload: fc.jsonValue(),
      createdAtMs: fc.nat(2 ** 31),
      version: fc.integer({ min: 1, max: 1_000 }),
      maxRetries: fc.option(fc.nat(), { nil: undefined }),
      headers,
      ledgerRow: fc.option(fc.string({ unit: 'binary' })),
    });
    fc.assert(
      fc.property(parts, ({ payload, createdAtMs, version, maxRetries, headers: texts, ledgerRow }) => {
        const life = newLife(createdAtMs);
        const overrides = maxRetries === undefined ? {} : { maxRetries };
        const payloadJson = JSON.stringify(payload);
        const written = encodeEnvelope({ payloadJson, life, version, overrides, headers: texts, ledgerRow });
        const read = decodeEnvelope(written);
        expect(read).toStrictEqual({
          payload: JSON.parse(payloadJson) as unknown,
          life,
          version,
          overrides,
          headers: texts,
          ledgerCheck: false,
          ledgerRow,
        });
      }),
      { numRuns: 300 },
    );
  });

  it('gives every optional position its empty value when it is not there', () => {
    const empty = {
      payload: 1,
      life: LIFE,
      version: 1,
      overrides: {},
      headers: {},
      ledgerCheck: false,
      ledgerRow: null,
    };
    expect(decodeEnvelope(`[1,1,"${LIFE}"]`)).toStrictEqual(empty);
    expect(decodeEnvelope(`[1,1,"${LIFE}",null]`)).toStrictEqual(empty);
    expect(decodeEnvelope(`[1,1,"${LIFE}",null,null,null]`)).toStrictEqual(empty);
    expect(decodeEnvelope(`[1,1,"${LIFE}",{}]`)).toStrictEqual(empty);
  });

  it('keeps a header of the name __proto__', () => {
    const { headers } = decodeEnvelope(`[1,1,"${LIFE}",null,{"__proto__":"a","b":"c"}]`);
    expect(JSON.stringify(headers)).toBe('{"__proto__":"a","b":"c"}');
  });

  it.each([
    ['', 'the envelope is not JSON'],
    ['[1,{"a":1},"m5d4r', 'the envelope is not JSON'],
    ['{"format":1}', 'the envelope is not an array'],
    ['null', 'the envelope is not an array'],
    ['"1"', 'the envelope is not an array'],
    ['[]', 'envelope format undefined is not known'],
    [`[2,null,"${LIFE}"]`, 'envelope format 2 is not known'],
    [`["1",null,"${LIFE}"]`, 'envelope format 1 is not known'],
    ['[1]', 'the envelope has no life'],
    ['[1,null]', 'the envelope has no life'],
    ['[1,null,7]', 'the envelope has no life'],
    ['[1,null,""]', 'the envelope has no life'],
    ['[1,null,"abc123"]', 'the envelope has no life'],
  ])('refuses %j', (text, problem) => {
    expect(() => decodeEnvelope(text)).toThrow(expect.objectContaining({ message: problem }));
    expect(() => decodeEnvelope(text)).toThrow(UnreadableEnvelopeError);
  });

  it.each([
    ['{"maxRetries":-1}', 'maxRetries'],
    ['{"maxRetries":1.5}', 'maxRetries'],
    ['{"maxRetries":"3"}', 'maxRetries'],
    ['{"retries":3}', 'retries'],
    ['{"v":0}', 'v'],
    ['{"v":1.5}', 'v'],
    ['{"v":"2"}', 'v'],
    ['7', 'expected object'],
    ['null,[]', 'the headers are no texts'],
    ['null,["a"]', 'the headers are no texts'],
    ['null,"a"', 'the headers are no texts'],
    ['null,{"a":1}', 'the headers are no texts'],
    ['null,{"a":"b","__proto__":1}', 'the headers are no texts'],
    ['null,null,7', 'expected string'],
  ])('refuses damaged optional positions: %s', (positions, problem) => {
    expect(() => decodeEnvelope(`[1,null,"${LIFE}",${positions}]`)).toThrow(
      expect.objectContaining({
        name: 'UnreadableEnvelopeError',
        message: expect.stringMatching(new RegExp(`^the envelope is damaged: [^]*${problem}`)),
      }),
    );
  });

  it('keeps the cause of text that is not JSON', () => {
    expect(() => decodeEnvelope('{')).toThrow(expect.objectContaining({ cause: expect.any(SyntaxError) }));
  });

  it('reads or refuses, and never throws anything else, whatever stands in the store', () => {
    const damaged = fc.oneof(
      fc.string(),
      fc.json(),
      fc.array(fc.jsonValue()).map((parts) => JSON.stringify([1, ...parts])),
      fc.array(fc.jsonValue()).map((parts) => JSON.stringify([1, null, LIFE, ...parts])),
    );
    fc.assert(
      fc.property(damaged, (text) => {
        try {
          return decodeEnvelope(text).life.length > 6;
        } catch (error) {
          return error instanceof UnreadableEnvelopeError;
        }
      }),
      { numRuns: 1_000 },
    );
  });
});
