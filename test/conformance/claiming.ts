import { describe, expect, it } from '@jest/globals';
import { REASON_LEASES_LOST } from '../../libs/delay-queue/src/ports/settle.js';
import { MAX_BYTES_PER_CALL } from '../../libs/delay-queue/src/ports/turn.js';
import type { ClaimedTask } from '../../libs/delay-queue/src/ports/turn.js';
import { TASK_STATES } from './task-states.js';
import { LEASE_MS, MAX_LOST_LEASES, type TestLane } from './test-lane.js';

const idsOf = (tasks: readonly ClaimedTask[]): string[] => tasks.map(({ id }) => id);

/** What a claim hands out, and what it leaves. */
export function describeClaiming(useLane: () => TestLane): void {
  describe('a claim', () => {
    it('takes what is due, in order of due time and then of the bytes of the id, and nothing early', async () => {
      const lane = useLane();
      await lane.scheduleAll(['\u{1F600}', '\uffff', 'b', 'a'], 1_000);
      await lane.schedule('first', 999);
      await lane.schedule('later', 1_001);
      await lane.advanceMs(1_000.75);
      expect(idsOf(await lane.claim())).toEqual(['first', 'a', 'b', '\uffff', '\u{1F600}']);
      await lane.advanceMs(0.999);
      expect(await lane.claim()).toEqual([]);
      await lane.advanceMs(0.001);
      expect(idsOf(await lane.claim())).toEqual(['later']);
    });

    it('C21 counts the lease from the claim, however long the task has waited', async () => {
      const lane = useLane();
      await lane.schedule('X', 1_000);
      await lane.advanceMs(86_400_000);
      await lane.claimOne('X');
      expect((await lane.get('X'))?.leaseUntilMs).toBe(lane.nowMs + LEASE_MS);
      await lane.advanceMs(LEASE_MS - 1);
      expect(await lane.claim()).toEqual([]);
    });

    it('tells everything of a task on its first delivery and after a retry', async () => {
      const lane = useLane();
      const { dueAtMs } = await lane.schedule('X', 1_000, '["é"]');
      await lane.advanceMs(2_000);
      const first = await lane.claimOne('X');
      const counters = { failures: 0, lostLeases: 0, redrives: 0 };
      expect(first).toEqual({
        id: 'X',
        envelope: '["é"]',
        fence: lane.harness.nowUs(),
        deliveries: 1,
        dueAtMs,
        ...counters,
      });
      await lane.settle({ kind: 'retry', id: 'X', fence: first.fence, delayMs: 100, maxRetries: 3, error: '' });
      const { dueAtMs: retryAtMs } = (await lane.get('X')) ?? {};
      await lane.advanceMs(200);
      expect(await lane.claimOne('X')).toMatchObject({ deliveries: 2, failures: 1, dueAtMs: retryAtMs });
    });

    it('takes tasks whose lease is over first, counts the lost lease, and no more than the limit in all', async () => {
      const lane = useLane();
      await TASK_STATES['running with its lease over'](lane);
      const before = await lane.get('X');
      await lane.scheduleAll(['a', 'b']);
      const claimed = await lane.claim({ limit: 2 });
      expect(idsOf(claimed)).toEqual(['X', 'a']);
      expect(claimed[0]).toMatchObject({
        deliveries: (before?.deliveries ?? 0) + 1,
        failures: before?.failures,
        lostLeases: (before?.lostLeases ?? 0) + 1,
        dueAtMs: before?.dueAtMs,
      });
      expect(await lane.idsOf('waiting')).toEqual(['b']);
    });

    it('tells of what it left: the next time, and whether that is overdue', async () => {
      const lane = useLane();
      await lane.scheduleAll(['a', 'b']);
      const first = await lane.turn({ claim: { limit: 1 } });
      expect(first).toMatchObject({ nextAtMs: lane.nowMs, overdueLeft: true });
      const second = await lane.turn({ claim: { limit: 1 } });
      expect(second).toMatchObject({ nextAtMs: lane.nowMs + LEASE_MS, overdueLeft: false });
      await lane.schedule('c', 0);
      expect(await lane.turn()).toMatchObject({ nextAtMs: lane.nowMs, overdueLeft: false, claimed: [] });
    });

    it('settles and extends before it claims, so that nobody steals their own late tasks', async () => {
      const lane = useLane();
      await lane.scheduleAll(['a', 'b', 'c']);
      const [a, b, c] = await lane.claim();
      const fence = a?.fence ?? 0;
      await lane.advanceMs(2 * LEASE_MS);
      const reply = await lane.turn({
        settles: [{ kind: 'retry', id: 'a', fence, delayMs: 0, maxRetries: 3, error: '' }],
        extensions: [{ id: 'b', fence: b?.fence ?? 0 }],
        claim: {},
      });
      expect([reply.settled, reply.extended]).toEqual([['applied'], ['applied']]);
      expect(reply.claimed).toMatchObject([
        { id: 'c', lostLeases: 1 },
        { id: 'a', failures: 1, lostLeases: 0 },
      ]);
      expect(c?.fence).toBe(fence);
    });

    it('stops at a mebibyte of envelopes, counted as UTF-8, and leaves the rest in place', async () => {
      const lane = useLane();
      const third = 'é'.repeat(Math.ceil(MAX_BYTES_PER_CALL / 6));
      for (const id of ['a', 'b', 'c', 'd']) await lane.schedule(id, 0, third);
      const before = await lane.get('d');
      const reply = await lane.turn({ claim: {} });
      expect(idsOf(reply.claimed)).toEqual(['a', 'b', 'c']);
      expect(reply.overdueLeft).toBe(true);
      expect(await lane.get('d')).toEqual(before);
      expect(idsOf(await lane.claim())).toEqual(['d']);
    });

    it('goes on below a mebibyte by one byte, and takes one task however large it is', async () => {
      const lane = useLane();
      await lane.schedule('a', 0, 'x'.repeat(MAX_BYTES_PER_CALL - 1));
      await lane.schedule('b', 0, 'x'.repeat(MAX_BYTES_PER_CALL + 1));
      await lane.schedule('c', 0, 'x');
      expect(idsOf(await lane.claim())).toEqual(['a', 'b']);
      expect(idsOf(await lane.claim())).toEqual(['c']);
    });

    it('leaves tasks whose lease is over in place, too, when the bytes are used up', async () => {
      const lane = useLane();
      for (const id of ['a', 'b', 'c']) await lane.schedule(id, 0, 'x'.repeat(MAX_BYTES_PER_CALL / 2));
      await lane.claim({ limit: 2 });
      await lane.claim();
      await lane.advanceMs(LEASE_MS);
      expect(idsOf(await lane.claim())).toEqual(['a', 'b']);
      expect(await lane.get('c')).toMatchObject({ leaseUntilMs: lane.nowMs, lostLeases: 0, deliveries: 1 });
    });
  });

  describe('C27 suspects', () => {
    /** A killer takes the process down each time: all that was claimed with it is lost with it. */
    it('are buried after the maximum of lost leases, and the tasks claimed with them are not', async () => {
      const lane = useLane();
      const good = Array.from({ length: 20 }, (_, index) => `good-${String(index).padStart(2, '0')}`);
      await lane.scheduleAll(['killer', ...good]);
      const completed: string[] = [];
      const buried: string[] = [];
      for (let round = 0; round < 200 && completed.length + buried.length < 21; round++) {
        const reply = await lane.turn({ claim: {} });
        buried.push(...reply.buried.map(({ id }) => id));
        const isDown = reply.claimed.some(({ id }) => id === 'killer');
        for (const { id, fence } of isDown ? [] : reply.claimed) {
          expect(await lane.settle({ kind: 'complete', id, fence, dedupeForMs: 0 })).toBe('applied');
          completed.push(id);
        }
        const nextAtMs = (await lane.turn()).nextAtMs ?? lane.nowMs;
        await lane.advanceMs(Math.max(0, nextAtMs - lane.nowMs));
      }
      expect(buried).toEqual(['killer']);
      expect(completed.toSorted()).toEqual(good);
      expect(await lane.get('killer')).toMatchObject({
        state: 'dead',
        reason: REASON_LEASES_LOST,
        error: '',
        lostLeases: MAX_LOST_LEASES,
        deliveries: MAX_LOST_LEASES,
      });
    });

    it('are taken one at a time; the others met get leases that end spread over one lease', async () => {
      const lane = useLane();
      await loseLeases(lane, ['a', 'b', 'c', 'd'], 1);
      expect(idsOf(await lane.claim())).toEqual(['a']);
      const ends = await Promise.all(['b', 'c', 'd'].map(async (id) => (await lane.get(id))?.leaseUntilMs));
      expect(ends.map((endMs) => (endMs ?? 0) - lane.nowMs)).toEqual([7_500, 15_000, 22_500]);
      expect(await lane.get('b')).toMatchObject({ deliveries: 2, lostLeases: 1 });
    });

    it('are left to others by a caller who runs one, waiting suspects as well', async () => {
      const lane = useLane();
      await makeSuspects(lane);
      expect(idsOf(await lane.claim({ suspects: 'put off' }))).toEqual(['good']);
      expect(await lane.get('a')).toMatchObject({ state: 'waiting', dueAtMs: lane.nowMs + LEASE_MS / 2 });
      expect(await lane.get('b')).toMatchObject({ state: 'running', leaseUntilMs: lane.nowMs + LEASE_MS / 2 });
    });

    it('are left alone, with all whose lease is over, by a claim beside another one', async () => {
      const lane = useLane();
      await makeSuspects(lane);
      const before = await Promise.all(['a', 'b'].map((id) => lane.get(id)));
      const { claimed, overdueLeft } = await lane.turn({ claim: { suspects: 'leave' } });
      expect(idsOf(claimed)).toEqual(['good']);
      expect(overdueLeft).toBe(true);
      expect(await Promise.all(['a', 'b'].map((id) => lane.get(id)))).toEqual(before);
    });

    it('are suspects no longer after a retry or a snooze', async () => {
      const lane = useLane();
      await loseLeases(lane, ['a'], 2);
      const a = await lane.claimOne('a');
      await lane.settle({ kind: 'snooze', id: 'a', fence: a.fence, delayMs: 0 });
      expect(await lane.claim({ suspects: 'put off' })).toMatchObject([{ id: 'a', lostLeases: 0 }]);
    });
  });
}

/** Claims tasks and lets their leases run out, so that so many are lost; the last has run out and is not yet counted. */
async function loseLeases(lane: TestLane, ids: readonly string[], counted: number): Promise<void> {
  await lane.scheduleAll(ids);
  for (let round = 0; round <= counted; round++) {
    await lane.claim();
    await lane.advanceMs(LEASE_MS);
  }
}

/** Makes suspects of a, which waits, and of b, whose lease is over; a third task is no suspect: good. */
async function makeSuspects(lane: TestLane): Promise<void> {
  await loseLeases(lane, ['a', 'b'], 1);
  const [a] = await lane.claim();
  await lane.settle({ kind: 'release', id: 'a', fence: a?.fence ?? 0 });
  await lane.advanceMs(LEASE_MS);
  await lane.schedule('good');
}
