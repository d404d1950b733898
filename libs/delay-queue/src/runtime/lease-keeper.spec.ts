import { beforeEach, describe, expect, it } from '@jest/globals';
import { VirtualClock } from '../core/virtual-clock.js';
import { LeaseKeeper } from './lease-keeper.js';
import type { Run } from './run.js';
import { newRun } from './run.spec-support.js';

const LEASE_MS = 30_000;
const THIRD_MS = LEASE_MS / 3;

describe('LeaseKeeper', () => {
  let clock: VirtualClock;
  let dueAt: number[];
  let keeper: LeaseKeeper;

  beforeEach(() => {
    clock = new VirtualClock();
    dueAt = [];
    keeper = new LeaseKeeper({
      clock,
      leaseMs: LEASE_MS,
      onDue: () => dueAt.push(clock.monotonicMs()),
    });
  });

  /** A run whose lease and handler begin now. */
  function begin(id: string, lostLeases = 0): Run {
    const run = newRun({ id, lostLeases, leasedAtMs: clock.monotonicMs() });
    run.startedAtMs = clock.monotonicMs();
    keeper.add(run);
    return run;
  }

  /** Renews, as the answer to a call that is sent now does, whatever the keeper wants to have renewed. */
  function renew(limit = 500): readonly string[] {
    const runs = keeper.take(limit);
    keeper.renewed(runs, clock.monotonicMs());
    return runs.map(({ id }) => id);
  }

  it('knows its runs until they are removed', () => {
    const [a, b] = [begin('a'), begin('b')];
    expect(keeper.size).toBe(2);
    expect([...keeper]).toEqual([a, b]);
    keeper.remove(a);
    keeper.remove(a);
    expect([...keeper]).toEqual([b]);
    expect(keeper.size).toBe(1);
  });

  it('C22 asks for a call when a third of the lease is over, and again after each renewal', async () => {
    begin('a');
    await clock.advanceMs(THIRD_MS - 1);
    expect(dueAt).toEqual([]);
    expect(keeper.renewalDue).toBe(false);
    expect(keeper.take(500)).toEqual([]);
    await clock.advanceMs(1);
    expect(dueAt).toEqual([THIRD_MS]);
    expect(keeper.renewalDue).toBe(true);
    expect(renew()).toEqual(['a']);
    expect(keeper.renewalDue).toBe(false);
    await clock.advanceMs(THIRD_MS);
    expect(dueAt).toEqual([THIRD_MS, 2 * THIRD_MS]);
  });

  it('goes on asking while nothing is renewed', async () => {
    begin('a');
    await clock.advanceMs(3 * THIRD_MS);
    expect(dueAt).toEqual([THIRD_MS, 2 * THIRD_MS, 3 * THIRD_MS]);
    expect(renew()).toEqual(['a']);
  });

  it('renews in one call what is a sixth over, and leaves out what is younger', async () => {
    begin('old');
    await clock.advanceMs(THIRD_MS - LEASE_MS / 6);
    begin('sixth');
    await clock.advanceMs(1);
    begin('young');
    await clock.advanceMs(LEASE_MS / 6 - 1);
    expect(renew()).toEqual(['old', 'sixth']);
  });

  it('renews the oldest first when not all find room', async () => {
    for (const id of ['a', 'b', 'c']) begin(id);
    await clock.advanceMs(THIRD_MS);
    expect(renew(2)).toEqual(['a', 'b']);
    expect(keeper.renewalDue).toBe(true);
    expect(renew(2)).toEqual(['c']);
    expect(keeper.renewalDue).toBe(false);
  });

  it('counts the age of a lease from the sending of the call that renewed it', async () => {
    begin('a');
    await clock.advanceMs(THIRD_MS);
    const sentAtMs = clock.monotonicMs();
    const runs = keeper.take(500);
    await clock.advanceMs(2_000);
    keeper.renewed(runs, sentAtMs);
    await clock.advanceMs(THIRD_MS - 2_000 - 1);
    expect(keeper.renewalDue).toBe(false);
    await clock.advanceMs(1);
    expect(keeper.renewalDue).toBe(true);
  });

  it('takes a renewed run that has ended meanwhile for no run of its own', async () => {
    const run = begin('a');
    await clock.advanceMs(THIRD_MS);
    const runs = keeper.take(500);
    keeper.remove(run);
    keeper.renewed(runs, clock.monotonicMs());
    expect(keeper.size).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });

  it('renews no lease of a run whose outcome is decided, and asks for no call because of it', async () => {
    const [settled, open] = [begin('settled'), begin('open')];
    settled.settled = true;
    await clock.advanceMs(THIRD_MS);
    expect(renew()).toEqual(['open']);
    keeper.remove(open);
    dueAt.length = 0;
    await clock.advanceMs(5 * THIRD_MS);
    expect(dueAt).toEqual([]);
    expect(keeper.take(500)).toEqual([]);
  });

  it('renews every lease with the next call after a step of the clock, whatever its age', async () => {
    begin('a');
    await clock.advanceMs(THIRD_MS / 2 - 1);
    begin('b');
    expect(keeper.take(500)).toEqual([]);
    keeper.renewAll();
    expect(keeper.renewalDue).toBe(true);
    expect(renew()).toEqual(['a', 'b']);
    expect(keeper.renewalDue).toBe(false);
  });

  it('has nothing to renew after a step of the clock when nothing runs', () => {
    keeper.renewAll();
    expect(keeper.renewalDue).toBe(false);
    expect(keeper.take(500)).toEqual([]);
  });

  it('holds no timer when nothing runs', () => {
    const runs = [begin('a'), begin('b')];
    expect(clock.pendingTimers).toBe(1);
    for (const run of runs) keeper.remove(run);
    expect(clock.pendingTimers).toBe(0);
  });

  it('C27 knows whether it runs a suspect', () => {
    begin('innocent', 1);
    expect(keeper.runsSuspect).toBe(false);
    const [first, second] = [begin('first', 2), begin('second', 3)];
    expect(keeper.runsSuspect).toBe(true);
    keeper.remove(first);
    keeper.remove(first);
    expect(keeper.runsSuspect).toBe(true);
    keeper.remove(second);
    expect(keeper.runsSuspect).toBe(false);
  });

  it('asks for nothing once it is closed', async () => {
    const run = begin('a');
    keeper.close();
    expect(clock.pendingTimers).toBe(0);
    keeper.add(newRun({ id: 'b' }));
    keeper.renewed([run], clock.monotonicMs());
    expect(clock.pendingTimers).toBe(0);
    await clock.advanceMs(10 * LEASE_MS);
    expect(dueAt).toEqual([]);
  });

  it('asks for the first renewal at a third of the lease, also of a run that began while another was running', async () => {
    const first = begin('first');
    await clock.advanceMs(THIRD_MS - 1);
    begin('second');
    keeper.remove(first);
    await clock.advanceMs(THIRD_MS - 1);
    expect(dueAt).toEqual([]);
    await clock.advanceMs(1);
    expect(dueAt).toEqual([2 * THIRD_MS - 1]);
  });

  it('counts the age of a lease from the sending of the claim', async () => {
    keeper.add(newRun({ id: 'late', leasedAtMs: clock.monotonicMs() - 4_000 }));
    await clock.advanceMs(THIRD_MS - 4_000);
    expect(dueAt).toEqual([THIRD_MS - 4_000]);
  });
});
