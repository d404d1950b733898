import { describe, expect, it } from '@jest/globals';
import { decodePage, decodeRecord, decodeStats } from './record-codec.js';

describe('decodeRecord', () => {
  it('reads a task that waits and has never run', () => {
    expect(decodeRecord('a', ['w', ['a', 'E', '0|0|0|0|17', '17']])).toMatchObject({
      id: 'a',
      state: 'waiting',
      envelope: 'E',
      dueAtMs: 17,
      leaseUntilMs: null,
      deadAtMs: null,
      reason: null,
    });
  });

  it('tells the score of a running task as the end of its lease, of a dead one as its time of death', () => {
    const counters = { deliveries: 4, failures: 3, lostLeases: 2, redrives: 1, dueAtMs: 17 };
    expect(decodeRecord('a', ['r', ['a', 'E', '4|3|2|1|17', '99']])).toMatchObject({ ...counters, leaseUntilMs: 99 });
    expect(decodeRecord('a', ['d', ['a', 'E', '4|3|2|1|17', '99', 'why', '']])).toMatchObject({
      ...counters,
      deadAtMs: 99,
      reason: 'why',
      error: '',
    });
  });

  it('does not make a number of what is absent', () => {
    expect(decodeRecord('a', ['r', ['a', null, '0|0|0|0|', '99']])).toMatchObject({ envelope: null, dueAtMs: null });
    expect(decodeRecord('a', ['o', '99'])).toMatchObject({ state: 'done', doneUntilMs: 99, dueAtMs: null });
    expect(decodeRecord('a', ['n'])).toBeNull();
  });

  it('refuses what is no answer', () => {
    expect(() => decodeRecord('a', ['z'])).toThrow(TypeError);
  });
});

describe('decodePage', () => {
  it('reads one record for each row', () => {
    const rows = [
      ['a', 'E', '0|0|0|0|1', '1'],
      ['b', 'F', '0|0|0|0|2', '2'],
    ];
    expect(decodePage('waiting', rows).map(({ id, dueAtMs }) => [id, dueAtMs])).toEqual([
      ['a', 1],
      ['b', 2],
    ]);
  });
});

describe('decodeStats', () => {
  it('reads the counts', () => {
    const counts = { nowUs: 9, waiting: 1, overdue: 2, running: 3, dead: 4, done: 5 };
    expect(decodeStats('9|1|2|3|4|5|1|8')).toEqual({ ...counts, paused: true, nextDueAtMs: 8 });
    expect(decodeStats('9|1|2|3|4|5|0|')).toEqual({ ...counts, paused: false, nextDueAtMs: null });
  });
});
