import { describe, expect, it } from '@jest/globals';
import type { PartitionSignal } from '../ports/wakeup.js';
import { decodeSignal, encodeSignal } from './signals.js';

const ref = { type: 't', partition: 0 };

describe('signals', () => {
  it.each<[PartitionSignal, string]>([
    [{ kind: 'wake', ref, holder: null }, 'wake:*'],
    [{ kind: 'wake', ref, holder: 'h-1_x' }, 'wake:h-1_x'],
    [{ kind: 'beat', ref, holder: 'h' }, 'beat:h'],
    [{ kind: 'help', ref, holder: 'h' }, 'help:h'],
    [{ kind: 'calm', ref, holder: 'h' }, 'calm:h'],
    [{ kind: 'ping', ref, holder: 'h' }, 'ping:h'],
  ])('%o goes over the channel as %s and comes back', (signal, text) => {
    expect(encodeSignal(signal)).toBe(text);
    expect(decodeSignal(ref, text)).toEqual(signal);
  });

  it.each(['', 'wake', 'later:h', ':', 'Wake:h'])('takes %j for no signal', (text) => {
    expect(decodeSignal(ref, text)).toBeNull();
  });
});
