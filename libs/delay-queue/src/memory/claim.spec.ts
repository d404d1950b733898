import { describe, expect, it } from '@jest/globals';
import { REASON_LEASES_LOST } from '../ports/settle.js';
import { type ClaimRequest, MAX_BYTES_PER_CALL } from '../ports/turn.js';
import { claimTasks, type ClaimOutcome } from './claim.js';
import { MemoryPartition } from './memory-partition.js';

const NOW_MS = Date.UTC(2025, 0, 1);
const NOW_US = NOW_MS * 1000 + 250;
const LEASE_MS = 30_000;
const ALL_DUE: ClaimRequest = { limit: 100, suspects: 'take', mayCallForHelp: false };

function claim(partition: MemoryPartition, request: Partial<ClaimRequest> = {}): ClaimOutcome {
  return claimTasks(partition, {
    claim: { ...ALL_DUE, ...request },
    leaseMs: LEASE_MS,
    maxLostLeases: 5,
    time: { nowMs: NOW_MS, nowUs: NOW_US },
  });
}

function initialised(): MemoryPartition {
  const partition = new MemoryPartition();
  partition.fence = 0;
  return partition;
}

function addWaiting(partition: MemoryPartition, id: string, dueAtMs: number, lostLeases = 0): void {
  partition.envelopes.set(id, `envelope of ${id}`);
  partition.due.set(id, dueAtMs);
  if (lostLeases === 0) return;
  partition.runs.set(id, { fence: 1, deliveries: lostLeases, failures: 0, lostLeases, redrives: 0, dueAtMs });
}

function addExpired(partition: MemoryPartition, id: string, leaseUntilMs: number, lostLeases: number): void {
  partition.envelopes.set(id, `envelope of ${id}`);
  partition.leased.set(id, leaseUntilMs);
  partition.runs.set(id, { fence: 1, deliveries: 4, failures: 1, lostLeases, redrives: 2, dueAtMs: NOW_MS - 9_000 });
}

const idsOf = (outcome: ClaimOutcome): string[] => outcome.claimed.map(({ id }) => id);

describe('claimTasks', () => {
  it('takes what is due now or before, in order of due time and id, and leaves the rest', () => {
    const partition = initialised();
    addWaiting(partition, 'later', NOW_MS + 1);
    addWaiting(partition, 'b', NOW_MS);
    addWaiting(partition, 'a', NOW_MS);
    addWaiting(partition, 'first', NOW_MS - 5);
    const outcome = claim(partition);
    expect(idsOf(outcome)).toEqual(['first', 'a', 'b']);
    expect(outcome.claimed[0]).toEqual({
      id: 'first',
      envelope: 'envelope of first',
      fence: NOW_US,
      deliveries: 1,
      failures: 0,
      lostLeases: 0,
      redrives: 0,
      dueAtMs: NOW_MS - 5,
    });
    expect(partition.leased.timeOf('a')).toBe(NOW_MS + LEASE_MS);
    expect(partition.stateOf('later', NOW_MS)).toBe('waiting');
  });

  it('takes tasks whose lease is over before those that are due, within one limit', () => {
    const partition = initialised();
    addWaiting(partition, 'due', NOW_MS - 50_000);
    addExpired(partition, 'expired', NOW_MS, 0);
    expect(idsOf(claim(partition, { limit: 1 }))).toEqual(['expired']);
    expect(idsOf(claim(partition, { limit: 1 }))).toEqual(['due']);
  });

  it('counts a delivery and a lost lease of a task whose lease is over, and keeps its due time', () => {
    const partition = initialised();
    addExpired(partition, 'X', NOW_MS - 1, 0);
    const [task] = claim(partition).claimed;
    expect(task).toMatchObject({ deliveries: 5, failures: 1, lostLeases: 1, redrives: 2, dueAtMs: NOW_MS - 9_000 });
  });

  it('leaves a running task alone whose lease has a millisecond to go', () => {
    const partition = initialised();
    addExpired(partition, 'X', NOW_MS + 1, 0);
    expect(claim(partition)).toEqual({ claimed: [], buried: [], orphans: [] });
  });

  it('draws one rising fence a call, and none when nothing is taken', () => {
    const partition = initialised();
    claim(partition);
    expect(partition.fence).toBe(0);
    for (const id of ['a', 'b', 'c']) addWaiting(partition, id, NOW_MS);
    const fences = [claim(partition, { limit: 2 }), claim(partition)].flatMap(({ claimed }) =>
      claimed.map(({ fence }) => fence),
    );
    expect(fences).toEqual([NOW_US, NOW_US, NOW_US + 1]);
    expect(partition.fence).toBe(NOW_US + 1);
  });

  it('draws the fence from the clock and keeps none before the epoch has begun', () => {
    const partition = new MemoryPartition();
    addWaiting(partition, 'a', NOW_MS);
    expect(claim(partition).claimed[0]?.fence).toBe(NOW_US);
    expect(partition.fence).toBeNull();
  });

  it('buries a task that lost its lease too often, inside the claim', () => {
    const partition = initialised();
    addExpired(partition, 'killer', NOW_MS - 1, 4);
    expect(claim(partition)).toEqual({ claimed: [], buried: [{ id: 'killer', lostLeases: 5 }], orphans: [] });
    expect(partition.graves.get('killer')).toMatchObject({ reason: REASON_LEASES_LOST, lostLeases: 5, deliveries: 4 });
  });

  it('removes and reports ids that have no envelope', () => {
    const partition = initialised();
    addWaiting(partition, 'due', NOW_MS);
    addExpired(partition, 'expired', NOW_MS, 0);
    partition.envelopes.clear();
    expect(claim(partition)).toEqual({ claimed: [], buried: [], orphans: ['expired', 'due'] });
    expect(partition.due.size + partition.leased.size + partition.runs.size).toBe(0);
  });

  it('C27 takes one suspect a call and spreads the others over one lease', () => {
    const partition = initialised();
    for (const id of ['a', 'b', 'c', 'd']) addExpired(partition, id, NOW_MS - 1, 1);
    addExpired(partition, 'good', NOW_MS, 0);
    expect(idsOf(claim(partition))).toEqual(['a', 'good']);
    expect(['b', 'c', 'd'].map((id) => partition.leased.timeOf(id))).toEqual([
      NOW_MS + 7_500,
      NOW_MS + 15_000,
      NOW_MS + 22_500,
    ]);
    // Not claimed: nothing was counted.
    expect(partition.runs.get('b')).toMatchObject({ deliveries: 4, lostLeases: 1 });
  });

  it('C27 takes no suspect while the caller runs one, and never stops taking good tasks', () => {
    const partition = initialised();
    addExpired(partition, 'suspect', NOW_MS - 1, 1);
    addWaiting(partition, 'released suspect', NOW_MS - 1, 2);
    addWaiting(partition, 'good', NOW_MS);
    expect(idsOf(claim(partition, { suspects: 'put off' }))).toEqual(['good']);
    expect(partition.leased.timeOf('suspect')).toBe(NOW_MS + 15_000);
    expect(partition.due.timeOf('released suspect')).toBe(NOW_MS + 15_000);
  });

  it('moves a suspect that must wait by a millisecond at least', () => {
    const partition = initialised();
    addExpired(partition, 'suspect', NOW_MS, 1);
    const tinyLease = { leaseMs: 1, maxLostLeases: 5, time: { nowMs: NOW_MS, nowUs: NOW_US } };
    claimTasks(partition, { claim: { ...ALL_DUE, suspects: 'put off' }, ...tinyLease });
    expect(partition.leased.timeOf('suspect')).toBe(NOW_MS + 1);
  });

  it('stops at the limit of bytes, counted as UTF-8, and leaves the rest where it is', () => {
    const partition = initialised();
    for (const id of ['a', 'b', 'c']) addWaiting(partition, id, NOW_MS);
    partition.envelopes.set('a', 'é'.repeat(MAX_BYTES_PER_CALL / 2 - 1));
    expect(idsOf(claim(partition))).toEqual(['a', 'b']);
    expect(partition.due.timeOf('c')).toBe(NOW_MS);
  });

  it('takes one task however large it is', () => {
    const partition = initialised();
    for (const id of ['a', 'b']) addWaiting(partition, id, NOW_MS);
    partition.envelopes.set('a', 'x'.repeat(MAX_BYTES_PER_CALL * 2));
    expect(idsOf(claim(partition))).toEqual(['a']);
  });
});
