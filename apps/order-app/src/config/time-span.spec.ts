import { describe, expect, it } from '@jest/globals';
import { parseTimeSpanMs } from './time-span.js';

describe('parseTimeSpanMs', () => {
  it.each([
    ['500ms', 500],
    ['3s', 3_000],
    ['30m', 1_800_000],
    ['1.5h', 5_400_000],
    [' 2 d ', 172_800_000],
  ])('reads %j', (text, expectedMs) => {
    expect(parseTimeSpanMs(text, 'SPAN')).toBe(expectedMs);
  });

  it.each(['', '30', '0s', '0.1ms', '-5s', '5 weeks', 'soon', '1e3s', 'Infinitys'])(
    'refuses %j and names the setting',
    (text) => {
      expect(() => parseTimeSpanMs(text, 'SPAN')).toThrow(/^SPAN: /);
    },
  );
});
