import { describe, expect, it } from '@jest/globals';
import { MemoryPartition } from './memory-partition.js';
import { trimAll, trimDead, trimDone } from './trims.js';

const NOW_MS = Date.UTC(2025, 0, 1);
const DAY_MS = 86_400_000;
const KEEP_ALL = { deadKeepMs: 14 * DAY_MS, deadMax: 10_000 };

function partitionWith({ dead = 0, done = 0 }: { dead?: number; done?: number }): MemoryPartition {
  const partition = new MemoryPartition();
  const run = { fence: 1, deliveries: 1, failures: 1, lostLeases: 0, redrives: 0, dueAtMs: NOW_MS };
  for (let n = 0; n < dead; n++) {
    const id = `dead-${String(n).padStart(3, '0')}`;
    partition.bury(id, { run, reason: 'why', error: '', nowMs: NOW_MS - dead + n });
  }
  for (let n = 0; n < done; n++) partition.done.set(`done-${n}`, NOW_MS - n);
  return partition;
}

describe('trimDead', () => {
  it('removes the oldest letters beyond the number kept', () => {
    const partition = partitionWith({ dead: 5 });
    expect(trimDead(partition, { ...KEEP_ALL, deadMax: 3 }, NOW_MS)).toBe(2);
    expect([...partition.graves.keys()]).toEqual(['dead-002', 'dead-003', 'dead-004']);
    expect(partition.dead.size).toBe(3);
  });

  it('removes letters that have reached the age', () => {
    const partition = partitionWith({ dead: 5 });
    expect(trimDead(partition, KEEP_ALL, NOW_MS - 2 + KEEP_ALL.deadKeepMs)).toBe(4);
    expect([...partition.graves.keys()]).toEqual(['dead-004']);
  });

  it('looks at a hundred letters a call', () => {
    const partition = partitionWith({ dead: 250 });
    const removed = [1, 2, 3, 4].map(() => trimDead(partition, { ...KEEP_ALL, deadMax: 0 }, NOW_MS));
    expect(removed).toEqual([100, 100, 50, 0]);
  });
});

describe('trimDone', () => {
  it('removes marks whose window is over, a hundred a call, and keeps the others', () => {
    const partition = partitionWith({ done: 150 });
    partition.done.set('live', NOW_MS + 1);
    expect([1, 2, 3].map(() => trimDone(partition, NOW_MS))).toEqual([100, 50, 0]);
    expect(partition.stateOf('live', NOW_MS)).toBe('done');
  });
});

describe('trimAll', () => {
  it('removes a hundred in all a call, letters first', () => {
    const partition = partitionWith({ dead: 130, done: 130 });
    const limits = { ...KEEP_ALL, deadMax: 0 };
    expect([1, 2, 3, 4].map(() => trimAll(partition, limits, NOW_MS))).toEqual([100, 100, 60, 0]);
  });
});
