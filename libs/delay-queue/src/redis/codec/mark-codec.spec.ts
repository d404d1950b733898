import { describe, expect, it } from '@jest/globals';
import { decodeFinish, decodeMark, decodeOwnMark } from './mark-codec.js';

describe('decodeMark', () => {
  it('reads what a wish to work was answered', () => {
    expect(decodeMark(['b'])).toEqual({ kind: 'begun' });
    expect(decodeMark(['p', '17'])).toEqual({ kind: 'in progress', leftMs: 17 });
    expect(decodeMark(['d', '{"a":1}'])).toEqual({ kind: 'done', result: '{"a":1}' });
    expect(decodeMark(['d', ''])).toEqual({ kind: 'done', result: null });
    expect(decodeOwnMark(['s'])).toEqual({ kind: 'superseded' });
  });

  it('takes nothing else for an answer', () => {
    expect(() => decodeMark(['x'])).toThrow(TypeError);
    expect(() => decodeOwnMark(['p', '1'])).toThrow(TypeError);
    expect(() => decodeFinish('x')).toThrow(TypeError);
  });
});

describe('decodeFinish', () => {
  it('reads what a report was answered', () => {
    expect(['a', 'd', 'l'].map(decodeFinish)).toEqual(['finished', 'done before', 'lost']);
  });
});
