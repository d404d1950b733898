import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { InvalidPayloadError } from '../core/errors.js';
import { encodePayload } from './payload.js';

const LIMIT = 1_000_000;

const refusal = (field: string, problem: string) =>
  expect.objectContaining({ code: 'invalid_payload', field, message: `${field}: ${problem}` });

const encodeAndRead = (payload: unknown): unknown => JSON.parse(encodePayload(payload, LIMIT));

describe('encodePayload', () => {
  describe('accepts', () => {
    it.each([
      null,
      true,
      false,
      0,
      1.5,
      -1e-300,
      Number.MAX_VALUE,
      Number.MIN_VALUE,
      2 ** 53,
      '',
      'text',
      'a\0b\u2028"\\\n',
      '\u{1F600}',
      [],
      {},
      [1, [2, [3]]],
      { a: { b: [{ c: null }] } },
      { '': 1, ' ': 2, 'a.b': 3, é: 4 },
    ])('C31 %j, which comes back the same', (payload) => {
      expect(encodeAndRead(payload)).toStrictEqual(payload);
    });

    it('C31 whatever comes back deeply equal, apart from undefined properties', () => {
      const plain = fc.jsonValue({ noUnicodeString: false }).map(withoutNegativeZero);
      fc.assert(
        fc.property(plain, (payload) => {
          expect(encodeAndRead(payload)).toStrictEqual(payload);
        }),
        { numRuns: 300 },
      );
    });

    it('C31 nothing that comes back as something else, whatever it is given', () => {
      const anything = fc.anything({
        withBigInt: true,
        withBoxedValues: true,
        withDate: true,
        withMap: true,
        withSet: true,
        withNullPrototype: true,
        withObjectString: true,
        withSparseArray: true,
        withTypedArray: true,
        withUnicodeString: true,
      });
      let accepted = 0;
      fc.assert(
        fc.property(anything, (payload) => {
          const text = encodeOrRefuse(payload);
          if (text === null) return;
          accepted++;
          // toEqual passes over undefined properties and prototypes; the other rules are built into the expectation.
          expect(JSON.parse(text)).toEqual(withoutNegativeZero(payload ?? null));
        }),
        { numRuns: 2_000, endOnFailure: true },
      );
      expect(accepted).toBeGreaterThan(200);
    });

    it('C31 undefined properties, which are left out, and an undefined payload, which arrives as null', () => {
      expect(encodePayload({ a: undefined, b: 1 }, LIMIT)).toBe('{"b":1}');
      expect(encodePayload(undefined, LIMIT)).toBe('null');
    });

    it('C31 -0, which arrives as 0', () => {
      expect(encodePayload({ total: -0 }, LIMIT)).toBe('{"total":0}');
    });

    it('C31 instances of classes, of which the own properties arrive', () => {
      class Money {
        readonly currency = 'EUR';
        constructor(readonly cents: number) {}
        get euros(): number {
          return this.cents / 100;
        }
      }
      expect(encodePayload(new Money(250), LIMIT)).toBe('{"cents":250,"currency":"EUR"}');
    });

    it('C31 objects without a prototype, and own getters', () => {
      const bare: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
      bare['a'] = 1;
      expect(encodePayload(bare, LIMIT)).toBe('{"a":1}');
      const computed = Object.defineProperty({}, 'a', { get: () => 1, enumerable: true });
      expect(encodePayload(computed, LIMIT)).toBe('{"a":1}');
    });

    it('C31 a key of the name __proto__, which comes back as a key', () => {
      const payload: unknown = JSON.parse('{"__proto__":{"admin":true},"constructor":1}');
      const read = encodeAndRead(payload) as object;
      expect(Object.keys(read)).toEqual(['__proto__', 'constructor']);
      expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
      expect(JSON.stringify(read)).toBe('{"__proto__":{"admin":true},"constructor":1}');
    });

    it('C31 one object in several places', () => {
      const address = { city: 'Köln' };
      expect(encodePayload({ from: address, to: address, list: [address, address] }, LIMIT)).toBe(
        '{"from":{"city":"Köln"},"to":{"city":"Köln"},"list":[{"city":"Köln"},{"city":"Köln"}]}',
      );
    });

    it('C31 properties that are not enumerable, as JSON does: they are none of the payload', () => {
      const payload = Object.defineProperty({ a: 1 }, 'hidden', { value: () => 1, enumerable: false });
      Object.defineProperty(payload, Symbol('hidden'), { value: 1, enumerable: false });
      expect(encodePayload(payload, LIMIT)).toBe('{"a":1}');
    });

    it('200 levels of nesting', () => {
      expect(encodeAndRead(nested(200))).toEqual(nested(200));
    });
  });

  describe('refuses', () => {
    class Account {
      toJSON(): string {
        return 'account';
      }
    }
    class Rows extends Array<number> {
      toJSON(): string {
        return 'rows';
      }
    }
    const withToJsonThatThrows = {
      toJSON() {
        throw new Error('no');
      },
    };
    const ownForm = (name: string) => `is a ${name}, which has its own JSON form; pass that form`;
    const symbolKey = 'has a property named by Symbol(tag), which JSON would drop';
    const besideElements = 'has properties beside its elements, which JSON would drop';
    const exotic = (tag: string) => `is a ${tag}, which JSON cannot hold; pass plain data`;

    it.each([
      ['bigint', 1n, 'is a bigint, which JSON cannot hold; pass it as a string'],
      ['NaN', NaN, 'NaN has no form in JSON'],
      ['Infinity', Infinity, 'Infinity has no form in JSON'],
      ['-Infinity', -Infinity, '-Infinity has no form in JSON'],
      ['function', () => 1, 'is a function, which JSON would drop'],
      ['class', Account, 'is a function, which JSON would drop'],
      ['symbol', Symbol('s'), 'is a symbol, which JSON would drop'],
      ['lone surrogate', 'a\ud83d', 'has a lone surrogate, which UTF-8 cannot hold'],
      ['Date', new Date(0), ownForm('Date')],
      ['Buffer', Buffer.from('a'), ownForm('Buffer')],
      ['URL', new URL('https://example.org'), ownForm('URL')],
      ['instance with toJSON', new Account(), ownForm('Account')],
      ['toJSON that throws', withToJsonThatThrows, ownForm('Object')],
      ['array with a toJSON', Rows.from([1]), ownForm('Rows')],
      ['toJSON of its own', Object.defineProperty({}, 'toJSON', { value: () => 1 }), ownForm('Object')],
      [
        'toJSON without a prototype',
        Object.assign(Object.create(null) as object, { toJSON: () => 1 }),
        ownForm('Object'),
      ],
      ['Map', new Map(), exotic('Map')],
      ['Set', new Set(), exotic('Set')],
      ['WeakMap', new WeakMap(), exotic('WeakMap')],
      ['RegExp', /a/, exotic('RegExp')],
      ['Map that bears a symbol', Object.assign(new Map(), { [Symbol('mark')]: 1 }), exotic('Map')],
      ['Error', new Error('e'), exotic('Error')],
      ['Promise', Promise.resolve(), exotic('Promise')],
      ['Uint8Array', new Uint8Array(1), exotic('Uint8Array')],
      ['DataView', new DataView(new ArrayBuffer(1)), exotic('DataView')],
      ['ArrayBuffer', new ArrayBuffer(1), exotic('ArrayBuffer')],
      ['boxed number', Object(1), exotic('Number')],
      ['boxed string', Object('a'), exotic('String')],
      ['boxed boolean', Object(true), exotic('Boolean')],
      ['boxed bigint', Object(1n), exotic('BigInt')],
      ['generator', (function* () {})(), exotic('Generator')],
      ['URLSearchParams', new URLSearchParams(), exotic('URLSearchParams')],
      ['key with a lone surrogate', { 'a\ud83d': 1 }, 'has a key with a lone surrogate'],
      ['symbol key', { [Symbol('tag')]: 1 }, symbolKey],
      ['symbol key of an array', Object.assign([1], { [Symbol('tag')]: 1 }), symbolKey],
      ['property of an array', Object.assign([1], { total: 1 }), besideElements],
      ['result of a match', 'a1'.match(/\d/), besideElements],
    ])('C31 a %s, at the top, in a property and in an array', (_, value, problem) => {
      expect(() => encodePayload(value, LIMIT)).toThrow(refusal('payload', problem));
      expect(() => encodePayload({ ok: 1, order: { it: value } }, LIMIT)).toThrow(refusal('payload.order.it', problem));
      expect(() => encodePayload({ rows: [0, [1, value]] }, LIMIT)).toThrow(refusal('payload.rows[1][1]', problem));
      expect(() => encodePayload(value, LIMIT)).toThrow(InvalidPayloadError);
    });

    it.each([
      ['undefined', [1, undefined]],
      ['a hole', Object.assign([1], { length: 2 })],
      ['a hole in 4 billion elements', Object.assign([1], { length: 2 ** 32 - 1 })],
    ])('C31 %s in an array, which JSON would turn into null', (_, rows) => {
      expect(() => encodePayload({ rows }, LIMIT)).toThrow(
        refusal('payload.rows[1]', 'is undefined, which JSON would turn into null'),
      );
    });

    it('C31 references back to what contains them, through objects and arrays', () => {
      const circular: Record<string, unknown> = { a: { b: [] } };
      (circular['a'] as { b: unknown[] }).b.push(circular);
      expect(() => encodePayload(circular, LIMIT)).toThrow(
        refusal('payload.a.b[0]', 'refers back to an object that contains it'),
      );
      const loop: unknown[] = [];
      loop.push(loop);
      expect(() => encodePayload(loop, LIMIT)).toThrow(
        refusal('payload[0]', 'refers back to an object that contains it'),
      );
    });

    it('201 levels of nesting, however deep it goes on', () => {
      const path = 'payload' + '[0]'.repeat(200);
      for (const levels of [201, 100_000]) {
        expect(() => encodePayload(nested(levels), LIMIT)).toThrow(refusal(path, 'is nested deeper than 200 levels'));
      }
    });

    it('C31 getters that throw, naming the property and keeping the cause', () => {
      const cause = new Error('not loaded');
      const payload = {
        order: {
          get total(): number {
            throw cause;
          },
        },
      };
      expect(() => encodePayload(payload, LIMIT)).toThrow(
        expect.objectContaining({
          field: 'payload.order.total',
          message: 'payload.order.total: cannot be read',
          cause,
        }),
      );
    });

    const fail = (): never => {
      throw new Error('no');
    };
    class BadTag {
      get [Symbol.toStringTag](): string {
        return fail();
      }
    }
    it.each([
      ['throw on toJSON', Object.defineProperty({}, 'toJSON', { get: fail })],
      ['throw on their tag', new BadTag()],
      ['are revoked proxies', revokedProxy({})],
      ['are revoked proxies of arrays', revokedProxy([])],
      ['hide their keys', new Proxy({}, { ownKeys: fail })],
      ['hide their symbols', new Proxy({}, { getOwnPropertyDescriptor: fail, ownKeys: () => [Symbol('a')] })],
      ['hide their elements', Object.defineProperty([1], 0, { get: fail })],
    ])('C31 objects that %s, with a typed error of the same kind', (_, value) => {
      expect(() => encodePayload({ order: value }, LIMIT)).toThrow(
        expect.objectContaining({
          code: 'invalid_payload',
          field: expect.stringMatching(/^payload\.order/),
          cause: expect.any(Error),
        }),
      );
    });

    it('C31 a getter that is plain when it is checked and not when it is written', () => {
      let reads = 0;
      const payload = {
        get a() {
          return reads++ === 0 ? 1 : 1n;
        },
      };
      expect(() => encodePayload(payload, LIMIT)).toThrow(
        expect.objectContaining({ message: 'payload: cannot be written as JSON', cause: expect.any(TypeError) }),
      );
    });

    it('C31 what has more bytes of UTF-8 than the limit, and takes what has as many', () => {
      expect(encodePayload('a'.repeat(8), 10)).toHaveLength(10);
      expect(() => encodePayload('a'.repeat(9), 10)).toThrow(
        refusal('payload', 'is 11 bytes of JSON, the limit is 10'),
      );
      expect(encodePayload('é'.repeat(4), 10)).toBe('"éééé"');
      expect(() => encodePayload('é'.repeat(5), 10)).toThrow(
        refusal('payload', 'is 12 bytes of JSON, the limit is 10'),
      );
      expect(() => encodePayload(undefined, 3)).toThrow(refusal('payload', 'is 4 bytes of JSON, the limit is 3'));
    });
  });

  it('does not change what it is given', () => {
    const payload = Object.freeze({ rows: Object.freeze([Object.freeze({ a: undefined, b: 1 })]) });
    encodePayload(payload, LIMIT);
    expect(payload).toStrictEqual({ rows: [{ a: undefined, b: 1 }] });
  });
});

function encodeOrRefuse(payload: unknown): string | null {
  try {
    return encodePayload(payload, LIMIT);
  } catch (error) {
    if (error instanceof InvalidPayloadError) return null;
    throw error;
  }
}

function nested(levels: number): unknown[] {
  let value: unknown[] = [];
  for (let level = 1; level < levels; level++) value = [value];
  return value;
}

function revokedProxy(target: object): object {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

/** The value as it should come back: equal, except that -0 is 0. */
function withoutNegativeZero(value: unknown): unknown {
  if (typeof value === 'number') return value === 0 ? 0 : value;
  if (Array.isArray(value)) return value.map(withoutNegativeZero);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, property]) => [key, withoutNegativeZero(property)]));
}
