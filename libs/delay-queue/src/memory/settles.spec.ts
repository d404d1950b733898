import { describe, expect, it } from '@jest/globals';
import { REASON_RETRIES_USED_UP, type Settle } from '../ports/settle.js';
import { MemoryPartition, type Run } from './memory-partition.js';
import { applyExtension, applySettle } from './settles.js';
import type { StoreTime } from './store-time.js';

const NOW_MS = Date.UTC(2025, 0, 1);
const TIME: StoreTime = { nowMs: NOW_MS, nowUs: NOW_MS * 1000 + 250 };
const OLD_DUE_MS = NOW_MS - 3_000;
const RUN: Run = { fence: 9, deliveries: 3, failures: 2, lostLeases: 1, redrives: 1, dueAtMs: OLD_DUE_MS };

function runningX(leaseUntilMs: number = NOW_MS + 1_000): MemoryPartition {
  const partition = new MemoryPartition();
  partition.envelopes.set('X', 'envelope');
  partition.runs.set('X', RUN);
  partition.leased.set('X', leaseUntilMs);
  return partition;
}

const complete: Settle = { kind: 'complete', id: 'X', fence: 9, dedupeForMs: 0 };
const retry: Settle = { kind: 'retry', id: 'X', fence: 9, delayMs: 5, maxRetries: 3, error: 'boom' };
const snooze: Settle = { kind: 'snooze', id: 'X', fence: 9, delayMs: 5 };
const release: Settle = { kind: 'release', id: 'X', fence: 9 };
const bury: Settle = { kind: 'bury', id: 'X', fence: 9, reason: 'why', error: 'boom' };
const ALL = [complete, retry, snooze, release, bury];

describe('applySettle', () => {
  it('complete leaves nothing of the task', () => {
    const partition = runningX();
    expect(applySettle(partition, complete, TIME)).toEqual({ code: 'applied', movedTo: null });
    expect(partition.stateOf('X', NOW_MS)).toBe('none');
    expect(partition.envelopes.size + partition.runs.size).toBe(0);
  });

  it('complete leaves a mark for the dedupe window', () => {
    const partition = runningX();
    expect(applySettle(partition, { ...complete, dedupeForMs: 60_000 }, TIME).movedTo).toBe('done');
    expect(partition.stateOf('X', NOW_MS + 59_999)).toBe('done');
    expect(partition.stateOf('X', NOW_MS + 60_000)).toBe('none');
  });

  it('retry counts a failure, forgets the lost leases and waits for the whole delay', () => {
    const partition = runningX();
    expect(applySettle(partition, retry, TIME)).toEqual({ code: 'applied', movedTo: 'due' });
    expect(partition.due.timeOf('X')).toBe(NOW_MS + 6);
    expect(partition.runs.get('X')).toEqual({ ...RUN, failures: 3, lostLeases: 0 });
  });

  it('retry makes a dead letter when the failures exceed the retries', () => {
    const partition = runningX();
    expect(applySettle(partition, { ...retry, maxRetries: 2 }, TIME).movedTo).toBe('dead');
    expect(partition.dead.timeOf('X')).toBe(NOW_MS);
    expect(partition.graves.get('X')).toEqual({
      envelope: 'envelope',
      reason: REASON_RETRIES_USED_UP,
      error: 'boom',
      deliveries: 3,
      failures: 3,
      lostLeases: 0,
      redrives: 1,
      dueAtMs: OLD_DUE_MS,
    });
  });

  it('C30 snooze keeps the failures and forgets the lost leases', () => {
    const partition = runningX();
    applySettle(partition, snooze, TIME);
    expect(partition.due.timeOf('X')).toBe(NOW_MS + 6);
    expect(partition.runs.get('X')).toEqual({ ...RUN, lostLeases: 0 });
  });

  it('C30 release gives the task back at its old due time with every counter kept', () => {
    const partition = runningX();
    applySettle(partition, release, TIME);
    expect(partition.due.timeOf('X')).toBe(OLD_DUE_MS);
    expect(partition.runs.get('X')).toEqual(RUN);
  });

  it('bury makes a dead letter with the counts as they are', () => {
    const partition = runningX();
    expect(applySettle(partition, bury, TIME).movedTo).toBe('dead');
    expect(partition.graves.get('X')).toMatchObject({ reason: 'why', error: 'boom', failures: 2, lostLeases: 1 });
  });

  it.each(ALL)('C12 $kind is applied when the lease is over and nobody took the task', (settle) => {
    expect(applySettle(runningX(NOW_MS - 1_000), settle, TIME).code).toBe('applied');
  });

  it.each(ALL)('$kind under another fence is stale and changes nothing', (settle) => {
    const partition = runningX();
    expect(applySettle(partition, { ...settle, fence: 8 }, TIME)).toEqual({ code: 'stale', movedTo: null });
    expect(partition.runs.get('X')).toEqual(RUN);
    expect(partition.stateOf('X', NOW_MS)).toBe('running');
  });

  it.each(ALL)('$kind of a task that is not running is gone, also under its last fence', (settle) => {
    const partition = runningX();
    applySettle(partition, snooze, TIME);
    expect(applySettle(partition, settle, TIME)).toEqual({ code: 'gone', movedTo: null });
    expect(partition.stateOf('X', NOW_MS)).toBe('waiting');
  });
});

describe('applyExtension', () => {
  it.each([NOW_MS + 1, NOW_MS - 5_000])('sets the lease to now and one lease length, from %d', (leaseUntilMs) => {
    const partition = runningX(leaseUntilMs);
    expect(applyExtension(partition, { id: 'X', fence: 9 }, { leaseMs: 30_000, time: TIME })).toBe('applied');
    expect(partition.leased.timeOf('X')).toBe(NOW_MS + 30_000);
  });

  it('answers stale and gone as a settle does', () => {
    const partition = runningX();
    expect(applyExtension(partition, { id: 'X', fence: 10 }, { leaseMs: 1, time: TIME })).toBe('stale');
    expect(applyExtension(partition, { id: 'Y', fence: 9 }, { leaseMs: 1, time: TIME })).toBe('gone');
    expect(partition.leased.timeOf('X')).toBe(NOW_MS + 1_000);
  });
});
