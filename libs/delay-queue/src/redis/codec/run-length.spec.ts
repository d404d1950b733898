import { describe, expect, it } from '@jest/globals';
import { encodeRuns } from './run-length.js';

describe('encodeRuns', () => {
  it('counts the same texts that follow each other', () => {
    expect(encodeRuns(['a', 'a', 'b', 'a'])).toBe('a|2;b|1;a|1;');
    expect(encodeRuns([7, 7])).toBe('7|2;');
    expect(encodeRuns([])).toBe('');
  });
});
