/** Orders two texts as Redis orders members: by their UTF-8 bytes, which is by code point. */
export function compareUtf8(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index++) {
    const a = left.charCodeAt(index);
    const b = right.charCodeAt(index);
    if (a !== b) return fixup(a) - fixup(b);
  }
  return left.length - right.length;
}

/** Surrogates stand for code points above U+FFFF but have lower code units than U+E000 to U+FFFF: swap the two ranges. */
function fixup(unit: number): number {
  if (unit >= 0xe000) return unit - 0x800;
  if (unit >= 0xd800) return unit + 0x2000;
  return unit;
}

const ELLIPSIS = '…';
const ELLIPSIS_BYTES = Buffer.byteLength(ELLIPSIS);

/**
 * Cuts a text to at most `maxBytes` of UTF-8 without splitting a character, marking the cut with an ellipsis where there
 * is room for one. Lone surrogates are replaced.
 */
export function clipUtf8(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes) return text.toWellFormed();
  // Each unit takes a byte at least: what lies beyond is cut in any case, and a huge text need not be encoded whole.
  const bytes = Buffer.from(text.slice(0, maxBytes + 1).toWellFormed());
  if (bytes.length <= maxBytes) return bytes.toString();
  const mark = maxBytes < ELLIPSIS_BYTES ? '' : ELLIPSIS;
  let end = maxBytes - Buffer.byteLength(mark);
  // 0b10xxxxxx is a continuation byte: step back to the start of the character that would be split.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end) + mark;
}
