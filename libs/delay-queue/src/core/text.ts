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

/** Cuts a text to at most `maxBytes` of UTF-8 without splitting a character, marking the cut with an ellipsis. */
export function clipUtf8(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes) return text.toWellFormed();
  const bytes = Buffer.from(text.toWellFormed());
  if (bytes.length <= maxBytes) return bytes.toString();
  const ellipsis = '…';
  let end = Math.max(0, maxBytes - Buffer.byteLength(ellipsis));
  // 0b10xxxxxx is a continuation byte: step back to the start of the character that would be split.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end) + ellipsis;
}
