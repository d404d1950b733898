import { describe, expect, it } from '@jest/globals';
import { LEASE_MS, type TestLane } from './test-lane.js';

const DAY_MS = 86_400_000;
const KEEP_ALL = { deadKeepMs: 14 * DAY_MS, deadMax: 10_000 };

/** Looking at tasks, counting them, pausing them and clearing away what is left of them. */
export function describeReading(useLane: () => TestLane): void {
  describe('reading', () => {
    it('lists waiting tasks by due time and the bytes of the id, page by page', async () => {
      const lane = useLane();
      const ids = Array.from({ length: 12 }, (_, index) => `task-${String(index).padStart(2, '0')}`);
      await lane.scheduleAll([...ids.slice(6), ...ids.slice(0, 6)].toReversed(), 1_000);
      await lane.schedule('first', 999);
      const page = async (offset: number, limit: number) =>
        (await lane.store.list(lane.ref, { state: 'waiting', offset, limit })).map(({ id }) => id);
      expect(await page(0, 5)).toEqual(['first', ...ids.slice(0, 4)]);
      expect(await page(5, 5)).toEqual(ids.slice(4, 9));
      expect(await page(10, 5)).toEqual(ids.slice(9));
      expect(await page(13, 5)).toEqual([]);
      expect(await lane.idsOf('running')).toEqual([]);
    });

    it('tells of each task all that is known, the same in a list as alone', async () => {
      const lane = useLane();
      await lane.scheduleAll(['dead', 'running', 'waiting again']);
      const tasks = await lane.claim();
      const fence = tasks[0]?.fence ?? 0;
      await lane.settle({ kind: 'bury', id: 'dead', fence, reason: 'why', error: 'boom é' });
      await lane.settle({ kind: 'retry', id: 'waiting again', fence, delayMs: 9, maxRetries: 3, error: '' });
      await lane.schedule('waiting', 60_000);
      const blank = {
        deliveries: 1,
        failures: 0,
        lostLeases: 0,
        redrives: 0,
        leaseUntilMs: null,
        deadAtMs: null,
        reason: null,
        error: null,
        doneUntilMs: null,
      };
      const { nowMs } = lane;
      const envelopes = { dead: 'dead', running: 'running', 'waiting again': 'waiting again' };
      const dead = { reason: 'why', error: 'boom é', deadAtMs: nowMs, envelope: envelopes.dead, dueAtMs: nowMs };
      const running = { leaseUntilMs: nowMs + LEASE_MS, envelope: envelopes.running, dueAtMs: nowMs };
      const again = { failures: 1, envelope: envelopes['waiting again'], dueAtMs: nowMs + 10 };
      const waiting = { deliveries: 0, envelope: 'envelope of waiting', dueAtMs: nowMs + 60_001 };
      const expected = {
        dead: [{ ...blank, id: 'dead', state: 'dead', ...dead }],
        running: [{ ...blank, id: 'running', state: 'running', ...running }],
        waiting: [
          { ...blank, id: 'waiting again', state: 'waiting', ...again },
          { ...blank, id: 'waiting', state: 'waiting', ...waiting },
        ],
      };
      for (const state of ['dead', 'running', 'waiting'] as const) {
        expect(await lane.store.list(lane.ref, { state, offset: 0, limit: 10 })).toEqual(expected[state]);
        for (const record of expected[state]) expect(await lane.get(record.id)).toEqual(record);
      }
    });

    it('knows of a done task no more than its mark, and of a stranger nothing', async () => {
      const lane = useLane();
      await lane.schedule('X');
      const { fence } = await lane.claimOne('X');
      await lane.settle({ kind: 'complete', id: 'X', fence, dedupeForMs: 5_000 });
      expect(await lane.get('X')).toEqual({
        id: 'X',
        state: 'done',
        envelope: null,
        dueAtMs: null,
        deliveries: 0,
        failures: 0,
        lostLeases: 0,
        redrives: 0,
        leaseUntilMs: null,
        deadAtMs: null,
        reason: null,
        error: null,
        doneUntilMs: lane.nowMs + 5_000,
      });
      await lane.advanceMs(5_000);
      expect(await lane.get('X')).toBeNull();
      expect(await lane.get('stranger')).toBeNull();
    });

    it('counts each state, what is overdue, and live done marks alone', async () => {
      const lane = useLane();
      await lane.scheduleAll(['a', 'b', 'c', 'd']);
      const [a] = await lane.claim({ limit: 3 });
      const fence = a?.fence ?? 0;
      await lane.settle({ kind: 'bury', id: 'a', fence, reason: '', error: '' });
      await lane.settle({ kind: 'complete', id: 'b', fence, dedupeForMs: 1_000 });
      await lane.schedule('e', 60_000);
      const stats = { waiting: 2, overdue: 1, running: 1, dead: 1, done: 1, paused: false, nextDueAtMs: lane.nowMs };
      expect(await lane.store.stats(lane.ref)).toEqual({ ...stats, nowUs: lane.harness.nowUs() });
      await lane.advanceMs(1_000);
      expect(await lane.store.stats(lane.ref)).toEqual({ ...stats, nowUs: lane.harness.nowUs(), done: 0 });
    });

    it('counts nothing in a partition that nobody has used', async () => {
      const lane = useLane();
      const nothing = { waiting: 0, overdue: 0, running: 0, dead: 0, done: 0, paused: false, nextDueAtMs: null };
      expect(await lane.store.stats(lane.ref)).toEqual({ ...nothing, nowUs: lane.harness.nowUs() });
    });
  });

  describe('a pause', () => {
    it('stops claims and hides the next time; all else goes on', async () => {
      const lane = useLane();
      await lane.scheduleAll(['a', 'b']);
      const a = (await lane.claim({ limit: 1 }))[0];
      await lane.store.setPaused(lane.ref, true);
      const reply = await lane.turn({
        claim: {},
        extensions: [{ id: 'a', fence: a?.fence ?? 0 }],
      });
      expect(reply).toMatchObject({ paused: true, claimed: [], extended: ['applied'] });
      expect(reply).toMatchObject({ nextAtMs: null, overdueLeft: false });
      expect(await lane.peek()).toMatchObject({ paused: true, nextAtMs: null });
      expect(await lane.schedule('c')).toMatchObject({ status: 'created' });
      expect(await lane.settle({ kind: 'complete', id: 'a', fence: a?.fence ?? 0, dedupeForMs: 0 })).toBe('applied');
      expect(await lane.store.stats(lane.ref)).toMatchObject({ paused: true, waiting: 2, nextDueAtMs: lane.nowMs });
      await lane.store.setPaused(lane.ref, false);
      expect((await lane.claim()).map(({ id }) => id)).toEqual(['b', 'c']);
    });
  });

  describe('trims', () => {
    it('C28 keep the dead letters within their number, the oldest going first, as they are added', async () => {
      const lane = useLane();
      for (const id of ['a', 'b', 'c', 'd']) {
        await lane.schedule(id);
        const { fence } = await lane.claimOne(id);
        await lane.settle({ kind: 'bury', id, fence, reason: '', error: '' }, { deadMax: 2 });
        await lane.advanceMs(1);
      }
      expect(await lane.idsOf('dead')).toEqual(['c', 'd']);
      expect(await lane.get('a')).toBeNull();
    });

    it('C28 remove dead letters that have reached their age, when one is added', async () => {
      const lane = useLane();
      for (const [id, passedMs] of [
        ['a', 1_000],
        ['b', 1_000],
        ['c', 0],
      ] as const) {
        await lane.schedule(id);
        const { fence } = await lane.claimOne(id);
        await lane.settle({ kind: 'bury', id, fence, reason: '', error: '' }, { deadKeepMs: 2_000 });
        await lane.advanceMs(passedMs);
      }
      expect(await lane.idsOf('dead')).toEqual(['b', 'c']);
      await lane.turn({ claim: {}, deadKeepMs: 0, deadMax: 0 });
      expect(await lane.idsOf('dead')).toEqual(['b', 'c']);
    });

    it('remove a hundred dead letters and done marks in all a call, and tell how many', async () => {
      const lane = useLane();
      const ids = Array.from({ length: 260 }, (_, index) => String(index));
      await lane.scheduleAll(ids);
      const claimed = await lane.claim({ limit: 260 });
      await lane.turn({
        settles: claimed.map(({ id, fence }, index) =>
          index < 130
            ? { kind: 'bury', id, fence, reason: '', error: '' }
            : { kind: 'complete', id, fence, dedupeForMs: 1_000 },
        ),
      });
      await lane.advanceMs(1_000);
      const trim = () => lane.store.trim(lane.ref, { ...KEEP_ALL, deadMax: 10 });
      expect([await trim(), await trim(), await trim(), await trim()]).toEqual([100, 100, 50, 0]);
      expect(await lane.idsOf('dead')).toHaveLength(10);
    });

    it('clear outdated done marks away when one is added, and leave live ones', async () => {
      const lane = useLane();
      for (const [id, passedMs] of [
        ['a', 1_000],
        ['b', 500],
        ['c', 0],
      ] as const) {
        await lane.schedule(id);
        const { fence } = await lane.claimOne(id);
        await lane.settle({ kind: 'complete', id, fence, dedupeForMs: 1_000 });
        await lane.advanceMs(passedMs);
      }
      expect(await lane.get('b')).toMatchObject({ state: 'done' });
      // The mark of `a` was removed when that of `b` was added: nothing is left to trim until `b` runs out.
      expect(await lane.store.trim(lane.ref, KEEP_ALL)).toBe(0);
      await lane.advanceMs(500);
      expect(await lane.store.trim(lane.ref, KEEP_ALL)).toBe(1);
    });
  });
}
