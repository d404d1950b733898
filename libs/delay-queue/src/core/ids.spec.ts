import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ConfigurationError, InvalidArgumentError } from './errors.js';
import {
  assertName,
  assertTaskId,
  assertTaskType,
  createdAtOfLife,
  isName,
  LIFE_NONCE_LENGTH,
  MAX_TASK_ID_BYTES,
  newHolderId,
  newLife,
  newTaskId,
} from './ids.js';

const refusal = (field: string, problem: string) =>
  expect.objectContaining({ code: 'invalid_argument', field, message: `${field}: ${problem}` });

describe('assertTaskId', () => {
  it.each([
    'order:1',
    'a:b:c',
    'https://x/y?z',
    '{slot}',
    '}{',
    '123',
    ' ',
    '\u00e9',
    'e\u0301',
    '\u{1F600}',
    'a\0b',
    '\n',
    '__proto__',
    'constructor',
    'a'.repeat(512),
    'é'.repeat(256),
    '€'.repeat(170) + 'ab',
    '\u{1F600}'.repeat(128),
  ])('C32 takes %j', (id) => {
    expect(() => assertTaskId(id)).not.toThrow();
  });

  it.each([
    ['a'.repeat(513), 'must be at most 512 bytes of UTF-8'],
    ['a'.repeat(1_000), 'must be at most 512 bytes of UTF-8'],
    ['é'.repeat(256) + 'a', 'must be at most 512 bytes of UTF-8'],
    ['€'.repeat(171), 'must be at most 512 bytes of UTF-8'],
    ['\u{1F600}'.repeat(128) + 'a', 'must be at most 512 bytes of UTF-8'],
    ['', 'must not be empty'],
    ['\ud83d', 'must be well-formed Unicode (no lone surrogates)'],
    ['a\ude00b', 'must be well-formed Unicode (no lone surrogates)'],
    [123, 'must be a string, got number'],
    [undefined, 'must be a string, got undefined'],
    [Object('order'), 'must be a string, got object'],
  ])('C32 refuses %j', (id, problem) => {
    expect(() => assertTaskId(id)).toThrow(refusal('id', problem));
    expect(() => assertTaskId(id)).toThrow(InvalidArgumentError);
  });

  it('names the field that its caller means', () => {
    expect(() => assertTaskId('', 'items[3].id')).toThrow(refusal('items[3].id', 'must not be empty'));
  });

  it('C32 measures ids in bytes of UTF-8, at every length and in every script', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 600 }), (id) => {
        return isAccepted(id) === Buffer.byteLength(id) <= MAX_TASK_ID_BYTES;
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('names', () => {
  it.each(['a', 'order_timeout', 'Order.Timeout-2', '123', '.', '__proto__', 'x'.repeat(100)])('takes %j', (name) => {
    expect(isName(name)).toBe(true);
    expect(() => assertName(name, 'prefix')).not.toThrow();
    expect(() => assertTaskType(name)).not.toThrow();
  });

  it.each([
    '',
    ' ',
    'a b',
    'a\n',
    'a:b',
    '{a',
    'a}',
    'a/b',
    'a*',
    'a|b',
    'é',
    '\u{1F600}',
    'a\0',
    'x'.repeat(101),
    1,
    null,
    undefined,
    ['a'],
  ])('C58 refuses %j', (name) => {
    expect(isName(name)).toBe(false);
    expect(() => assertName(name, 'prefix')).toThrow(ConfigurationError);
    expect(() => assertTaskType(name)).toThrow(InvalidArgumentError);
  });

  it('C58 says what a name may look like, and what it got', () => {
    const rule = 'must be 1 to 100 characters out of A-Z a-z 0-9 _ . -, got';
    expect(() => assertName('a:b', 'prefix')).toThrow(
      expect.objectContaining({ code: 'configuration', field: 'prefix', message: `prefix: ${rule} 'a:b'` }),
    );
    expect(() => assertTaskType('{a}')).toThrow(refusal('type', `${rule} '{a}'`));
    expect(() => assertTaskType(null, 'items[0].type')).toThrow(refusal('items[0].type', `${rule} object`));
    expect(() => assertTaskType('{'.repeat(5_000))).toThrow(refusal('type', `${rule} '${'{'.repeat(120)}'`));
  });
});

describe('made ids', () => {
  it('makes task ids that are accepted as such, and none twice', () => {
    const ids = new Set(Array.from({ length: 10_000 }, newTaskId));
    expect(ids.size).toBe(10_000);
    expect([...ids].filter((id) => !/^[A-Za-z0-9_-]{21}$/.test(id))).toEqual([]);
  });

  it('makes holder ids without the bar and the star that signals and arms give a meaning', () => {
    const ids = new Set(Array.from({ length: 10_000 }, newHolderId));
    expect(ids.size).toBe(10_000);
    expect([...ids].filter((id) => !/^[A-Za-z0-9_-]{12}$/.test(id))).toEqual([]);
  });

  it('tells the lives apart that begin in one millisecond', () => {
    const lives = new Set(Array.from({ length: 1_000 }, () => newLife(1_735_689_600_000)));
    expect(lives.size).toBeGreaterThan(990);
  });

  it('writes a life in characters that need no escape in JSON', () => {
    expect(newLife(1_735_689_600_000)).toMatch(/^m5d4ruo0[0-9a-z]{6}$/);
    expect(LIFE_NONCE_LENGTH).toBe(6);
  });

  it('reads the creation time out of a life', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 8.64e15, noNaN: true }), (createdAtMs) => {
        return createdAtOfLife(newLife(createdAtMs)) === Math.floor(createdAtMs);
      }),
    );
  });

  it.each(['', 'abc', '123456', '!!!!!!!!abcdef'])('finds no time in %j', (life) => {
    expect(createdAtOfLife(life)).toBeNaN();
  });
});

function isAccepted(id: string): boolean {
  try {
    assertTaskId(id);
    return true;
  } catch {
    return false;
  }
}
