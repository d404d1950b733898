import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { clipUtf8, compareUtf8 } from './text.js';

/** Characters around the borders where code units and code points are ordered differently. */
const borderChar = fc.constantFrom(
  '\0',
  'a',
  '\u007f',
  '\u0080',
  'é',
  '\ud7ff',
  '\ue000',
  '\uffff',
  '\u{10000}',
  '\u{10ffff}',
);
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(borderChar).map((chars) => chars.join('')),
);

describe('compareUtf8', () => {
  it('orders texts as their UTF-8 bytes are ordered', () => {
    fc.assert(
      fc.property(text, text, (left, right) => {
        return Math.sign(compareUtf8(left, right)) === Buffer.compare(Buffer.from(left), Buffer.from(right));
      }),
      { numRuns: 2_000 },
    );
  });

  it('does so behind a common beginning, too', () => {
    fc.assert(
      fc.property(text, text, text, (start, left, right) => {
        const [a, b] = [start + left, start + right];
        return Math.sign(compareUtf8(a, b)) === Buffer.compare(Buffer.from(a), Buffer.from(b));
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['\uffff', '\u{10000}'],
    ['\ue000', '\u{1F600}'],
    ['\ud7ff', '\u{1F600}'],
    ['\ud7ff', '\ue000'],
    ['a', 'ab'],
    ['', 'a'],
  ])('puts %j before %j', (first, second) => {
    expect(compareUtf8(first, second)).toBeLessThan(0);
    expect(compareUtf8(second, first)).toBeGreaterThan(0);
    expect(compareUtf8(first, first)).toBe(0);
  });
});

describe('clipUtf8', () => {
  const ELLIPSIS = '…';

  const limit = fc.integer({ min: 0, max: 40 });
  const anyText = fc.oneof(text, fc.string({ unit: 'grapheme' }));

  it('leaves a text alone that fits', () => {
    fc.assert(
      fc.property(anyText, fc.nat(20), (whole, spareBytes) => {
        return clipUtf8(whole, Buffer.byteLength(whole) + spareBytes) === whole;
      }),
      { numRuns: 1_000 },
    );
  });

  it('never exceeds the limit, never splits a character, and keeps as many of them as fit', () => {
    fc.assert(
      fc.property(anyText, limit, (whole, maxBytes) => {
        fc.pre(Buffer.byteLength(whole) > maxBytes);
        const mark = maxBytes < 3 ? '' : ELLIPSIS;
        const clipped = clipUtf8(whole, maxBytes);
        const kept = clipped.slice(0, clipped.length - mark.length);
        const next = String.fromCodePoint(whole.codePointAt(kept.length) ?? 0);
        return (
          clipped === kept + mark &&
          whole.startsWith(kept) &&
          kept.isWellFormed() &&
          Buffer.byteLength(clipped) <= maxBytes &&
          Buffer.byteLength(kept + next + mark) > maxBytes
        );
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['abcdef', 6, 'abcdef'],
    ['abcdefg', 6, 'abc…'],
    ['ääää', 7, 'ää…'],
    ['ääää', 6, 'ä…'],
    ['\u{1F600}\u{1F600}', 8, '\u{1F600}\u{1F600}'],
    ['\u{1F600}\u{1F600}', 7, '\u{1F600}…'],
    ['\u{1F600}\u{1F600}', 6, '…'],
    ['abcdefg', 3, '…'],
    ['abcdefg', 2, 'ab'],
    ['\u{1F600}', 2, ''],
    ['abc', 0, ''],
    ['', 0, ''],
  ])('makes of %j within %d bytes %j', (whole, maxBytes, expected) => {
    expect(clipUtf8(whole, maxBytes)).toBe(expected);
  });

  it('replaces lone surrogates, cut or not, far below the limit or close to it', () => {
    expect(clipUtf8('a\ud83db', 100)).toBe('a\ufffdb');
    expect(clipUtf8('a\ud83db', 5)).toBe('a\ufffdb');
    expect(clipUtf8('\ude00'.repeat(10), 9)).toBe('\ufffd\ufffd…');
  });

  it('does not leave half of the character at which a very long text is cut before it is encoded', () => {
    for (let maxBytes = 0; maxBytes < 30; maxBytes++) {
      const clipped = clipUtf8('\u{1F600}'.repeat(1_000), maxBytes);
      expect(clipped).not.toContain('\ufffd');
      expect(Buffer.byteLength(clipped)).toBeLessThanOrEqual(maxBytes);
    }
  });

  it('C28 encodes no more of a huge text than it keeps', () => {
    const from = jest.spyOn(Buffer, 'from');
    clipUtf8('x'.repeat(1_000_000), 100);
    const encoded = from.mock.calls.map(([value]) => (value as unknown as string).length);
    from.mockRestore();
    expect(encoded).toEqual([101]);
  });
});
