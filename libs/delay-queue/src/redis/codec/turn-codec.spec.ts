import { describe, expect, it } from '@jest/globals';
import type { TurnRequest } from '../../ports/turn.js';
import { decodePeek, decodeTurn, encodeTurn, markingSettles } from './turn-codec.js';

const ref = { type: 't', partition: 0 };
const fence = 1_700_000_000_000_001;

const request: TurnRequest = {
  ref,
  holder: 'me',
  settles: [
    { kind: 'complete', id: 'a', fence, dedupeForMs: 9 },
    { kind: 'retry', id: 'b', fence, delayMs: 5, maxRetries: 3, error: 'boom' },
    { kind: 'snooze', id: 'c', fence, delayMs: 6 },
    { kind: 'release', id: 'd', fence },
    { kind: 'bury', id: 'e', fence, reason: 'why', error: '' },
  ],
  extensions: [{ id: 'f', fence: 7 }],
  claim: { limit: 10, suspects: 'put off', mayCallForHelp: false },
  arm: 'take',
  leaseMs: 30_000,
  maxLostLeases: 5,
  deadKeepMs: 1_000,
  deadMax: 100,
};

describe('encodeTurn', () => {
  it('writes settings, letters, fences, ids and then the arguments of each settle', () => {
    const args = encodeTurn(request, { channel: 'ch', armHoldMs: 5_000 });
    expect(args.slice(0, 12)).toEqual(['ch', 'me', 'take', 5_000, 10, '1', 0, 30_000, 5, 1_000, 100, 1_048_576]);
    expect(args.slice(12, 16)).toEqual(['retries used up', 'leases lost', 5, 1]);
    expect(args.slice(16, 18)).toEqual(['wrslb', '1700000000000001|5;7|1;']);
    expect(args[18]).toBe('["a","b","c","d","e","f"]');
    expect(args.slice(19)).toEqual([9, 5, 3, 'boom', 6, 'why', '']);
  });

  it('writes done marks with the number of their key, behind those of the partition', () => {
    const mark = { life: 'l', keepMs: 5, result: '[]' };
    const settles = [
      { kind: 'complete', id: 'a', fence, dedupeForMs: 9, mark },
      { kind: 'complete', id: 'b', fence, dedupeForMs: 0 },
      { kind: 'complete', id: 'c', fence, dedupeForMs: 0, mark: { ...mark, result: null } },
    ] as const;
    const marked = { ...request, settles, extensions: [] };
    const args = encodeTurn(marked, { channel: 'ch', armHoldMs: 5_000 });
    expect(args.slice(16, 18)).toEqual(['ici', '1700000000000001|3;']);
    expect(args.slice(19)).toEqual(
      [
        [9, 11, 5, '[]'],
        [0, 12, 5, ''],
      ].flat(),
    );
    expect(markingSettles(marked).map(({ id }) => id)).toEqual(['a', 'c']);
    expect(markingSettles(request)).toEqual([]);
  });

  it('writes a completion without a window as its id and a letter', () => {
    const settles = ['a', 'b'].map((id) => ({ kind: 'complete', id, fence, dedupeForMs: 0 }) as const);
    const args = encodeTurn({ ...request, settles, extensions: [] }, { channel: 'ch', armHoldMs: 5_000 });
    expect(args.slice(16)).toEqual(['cc', '1700000000000001|2;', '["a","b"]']);
  });

  it('asks for no task when nothing is to be claimed', () => {
    const args = encodeTurn({ ...request, claim: null }, { channel: 'ch', armHoldMs: 5_000 });
    expect(args.slice(4, 7)).toEqual([0, '0', 0]);
  });
});

describe('decodeTurn', () => {
  it('reads a reply without tasks', () => {
    expect(decodeTurn(['1700000000000001||010|||asg|a'])).toEqual({
      nowUs: 1_700_000_000_000_001,
      settled: ['applied', 'stale', 'gone'],
      extended: ['applied'],
      claimed: [],
      buried: [],
      orphans: [],
      nextAtMs: null,
      overdueLeft: false,
      paused: true,
      armed: false,
      epoch: 'absent',
      lastFence: 0,
      fenceBefore: 0,
    });
  });

  it('reads what was claimed, buried and orphaned', () => {
    const reply = ['5|6|101|41|42||', ['a', 'b'], ['A', 'B'], '1|0|0|0|3,4|1|2|1|2', ['x', '5'], ['o']];
    expect(decodeTurn(reply)).toMatchObject({
      nextAtMs: 6,
      overdueLeft: true,
      paused: false,
      armed: true,
      epoch: 'present',
      lastFence: 42,
      fenceBefore: 41,
      claimed: [
        { id: 'a', envelope: 'A', fence: 42, deliveries: 1, failures: 0, lostLeases: 0, redrives: 0, dueAtMs: 3 },
        { id: 'b', envelope: 'B', fence: 42, deliveries: 4, failures: 1, lostLeases: 2, redrives: 1, dueAtMs: 2 },
      ],
      buried: [{ id: 'x', lostLeases: 5 }],
      orphans: ['o'],
    });
  });
});

describe('decodePeek', () => {
  it('reads one reply for each lane, in order', () => {
    const other = { type: 'u', partition: 1 };
    expect(decodePeek(['12', '8|0|1|42', '|1|0|'], [ref, other])).toEqual([
      { ref, nowUs: 12, nextAtMs: 8, paused: false, armed: true, epoch: 'present', lastFence: 42 },
      { ref: other, nowUs: 12, nextAtMs: null, paused: true, armed: false, epoch: 'absent', lastFence: 0 },
    ]);
  });
});
