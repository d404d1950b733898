import { describe, expect, it } from '@jest/globals';
import type { MarkClaim, OwnDoneMark, OwnMarkAnswer } from '../../libs/delay-queue/src/ports/idempotency-store.js';
import { LEASE_MS, type TestLane } from './test-lane.js';

const LIFE = 'm5d4ruo0abc123';
const DAY_MS = 86_400_000;

const claim = (owner: string, fence = 0, holdMs = LEASE_MS): MarkClaim => ({ owner, fence, holdMs });
const done = (result: string | null = null, keepMs = DAY_MS) => ({ keepMs, result });

/** Marks of work under idempotency keys. */
export function describeIdempotency(useLane: () => TestLane): void {
  /** The marks, and a key that no other test has. */
  const marks = () => {
    const lane = useLane();
    return { lane, store: lane.store.idempotency, key: `charge {42} of ${lane.ref.type}: ü|1` };
  };

  describe('a mark under a key', () => {
    it('is begun by one, and in progress for all others until its end', async () => {
      const { lane, store, key } = marks();
      expect(await store.begin(key, claim('a'))).toEqual({ kind: 'begun' });
      expect(await store.begin(key, claim('b', 9))).toEqual({ kind: 'in progress', leftMs: LEASE_MS });
      await lane.advanceMs(LEASE_MS - 1);
      expect(await store.begin(key, claim('b'))).toEqual({ kind: 'in progress', leftMs: 1 });
      await lane.advanceMs(1);
      expect(await store.begin(key, claim('b'))).toEqual({ kind: 'begun' });
      expect(await store.begin(`${key}2`, claim('c'))).toEqual({ kind: 'begun' });
    });

    it('of several that begin at once, one does', async () => {
      const { store, key } = marks();
      const owners = Array.from({ length: 20 }, (_, number) => `owner ${number}`);
      const answers = await Promise.all(owners.map((owner) => store.begin(key, claim(owner))));
      expect(answers.filter(({ kind }) => kind === 'begun')).toHaveLength(1);
      expect(answers.filter(({ kind }) => kind === 'in progress')).toHaveLength(19);
    });

    it('C36 is taken over before its end by a later delivery of the same task, and by nobody else', async () => {
      const { store, key } = marks();
      await store.begin(key, claim('task', 5));
      expect(await store.begin(key, claim('other', 7))).toMatchObject({ kind: 'in progress' });
      expect(await store.begin(key, claim('task', 5))).toEqual({ kind: 'begun' });
      expect(await store.begin(key, claim('task', 6))).toEqual({ kind: 'begun' });
      expect(await store.begin(key, claim('task', 5))).toEqual({ kind: 'superseded' });
      expect(await store.extend(key, claim('task', 5))).toBe(false);
      expect(await store.finish(key, claim('task', 5), done())).toBe('lost');
      expect(await store.drop(key, claim('task', 5))).toBe(false);
      expect(await store.finish(key, claim('task', 6), done())).toBe('finished');
    });

    it('is extended by its owner', async () => {
      const { lane, store, key } = marks();
      await store.begin(key, claim('a'));
      await lane.advanceMs(LEASE_MS / 3);
      expect(await store.extend(key, claim('a'))).toBe(true);
      expect(await store.extend(key, claim('b'))).toBe(false);
      expect(await store.begin(key, claim('b'))).toEqual({ kind: 'in progress', leftMs: LEASE_MS });
    });

    it('is extended late, and finished late, while nobody has begun since', async () => {
      const { lane, store, key } = marks();
      await store.begin(key, claim('a'));
      await lane.advanceMs(3 * LEASE_MS);
      expect(await store.extend(key, claim('a'))).toBe(true);
      expect(await store.begin(key, claim('b'))).toMatchObject({ kind: 'in progress' });
      await lane.advanceMs(3 * LEASE_MS);
      expect(await store.finish(key, claim('a'), done())).toBe('finished');
      expect(await store.begin(key, claim('b'))).toEqual({ kind: 'done', result: null });
    });

    it('is lost to who has begun since', async () => {
      const { lane, store, key } = marks();
      await store.begin(key, claim('a', 9));
      await lane.advanceMs(LEASE_MS);
      await store.begin(key, claim('b', 1));
      expect(await store.extend(key, claim('a', 9))).toBe(false);
      expect(await store.drop(key, claim('a', 9))).toBe(false);
      expect(await store.finish(key, claim('a', 9), done())).toBe('lost');
      expect(await store.finish(key, claim('b', 1), done('"of b"'))).toBe('finished');
      expect(await store.finish(key, claim('a', 9), done('"of a"'))).toBe('done before');
      expect(await store.extend(key, claim('a', 9))).toBe(false);
      expect(await store.begin(key, claim('c'))).toEqual({ kind: 'done', result: '"of b"' });
    });

    it('when done, answers everybody with its result, and is kept so long from the report on', async () => {
      const { lane, store, key } = marks();
      const result = JSON.stringify({ text: 'ü|d|7\n', list: [] });
      await store.begin(key, claim('a'));
      await lane.advanceMs(LEASE_MS / 2);
      expect(await store.finish(key, claim('a'), done(result))).toBe('finished');
      for (const owner of ['a', 'b']) {
        expect(await store.begin(key, claim(owner, 99))).toEqual({ kind: 'done', result });
        expect(await store.drop(key, claim(owner, 99))).toBe(false);
      }
      await lane.advanceMs(DAY_MS - 1);
      expect(await store.begin(key, claim('b'))).toEqual({ kind: 'done', result });
      await lane.advanceMs(1);
      expect(await store.begin(key, claim('b'))).toEqual({ kind: 'begun' });
    });

    it('is gone when its owner drops it: somebody else begins at once', async () => {
      const { store, key } = marks();
      expect(await store.drop(key, claim('a'))).toBe(false);
      await store.begin(key, claim('a', 3));
      expect(await store.drop(key, claim('b', 3))).toBe(false);
      expect(await store.drop(key, claim('a', 3))).toBe(true);
      expect(await store.begin(key, claim('b'))).toEqual({ kind: 'begun' });
    });
  });

  describe("a task's own mark", () => {
    /** Schedules and claims X; returns its fence. */
    const running = async (lane: TestLane): Promise<number> => {
      await lane.schedule('X');
      return (await lane.claimOne('X')).fence;
    };
    const look = (lane: TestLane, fence: number, life = LIFE): Promise<OwnMarkAnswer> =>
      lane.store.idempotency.look({ ref: lane.ref, id: 'X', life, fence });
    const completeWith = (lane: TestLane, fence: number, mark: Partial<OwnDoneMark> = {}) =>
      lane.settle({
        kind: 'complete',
        id: 'X',
        fence,
        dedupeForMs: 0,
        mark: { life: LIFE, keepMs: DAY_MS, result: null, ...mark },
      });

    it('is in progress by the lease, also when that is over and nobody has taken the task', async () => {
      const lane = useLane();
      const fence = await running(lane);
      expect(await look(lane, fence)).toEqual({ kind: 'begun' });
      await lane.advanceMs(2 * LEASE_MS);
      expect(await look(lane, fence)).toEqual({ kind: 'begun' });
    });

    it('C36 is a later delivery’s as soon as the lease is', async () => {
      const lane = useLane();
      const first = await running(lane);
      await lane.advanceMs(LEASE_MS);
      const { fence } = await lane.as('other').claimOne('X');
      expect(await look(lane, first)).toEqual({ kind: 'superseded' });
      expect(await look(lane, fence)).toEqual({ kind: 'begun' });
    });

    it('is done by the very call that completes the task, for that life only, so long from then on', async () => {
      const lane = useLane();
      const fence = await running(lane);
      await lane.advanceMs(500);
      expect(await completeWith(lane, fence, { result: '{"a":1}', keepMs: DAY_MS })).toBe('applied');
      expect(await lane.get('X')).toBeNull();
      expect(await look(lane, fence)).toEqual({ kind: 'superseded' });
      // A ledger brings the same life back; a call of schedule brings another one.
      const again = await running(lane);
      expect(await look(lane, again)).toEqual({ kind: 'done', result: '{"a":1}' });
      expect(await look(lane, again, 'm5d4ruo0other1')).toEqual({ kind: 'begun' });
      await lane.advanceMs(DAY_MS - 1);
      expect(await look(lane, again)).toMatchObject({ kind: 'done' });
      await lane.advanceMs(1);
      expect(await look(lane, again)).toEqual({ kind: 'begun' });
    });

    it('is not written by a completion that is stale or comes for a task that is gone', async () => {
      const lane = useLane();
      const first = await running(lane);
      await lane.advanceMs(LEASE_MS);
      const { fence } = await lane.claimOne('X');
      expect(await completeWith(lane, first)).toBe('stale');
      expect(await look(lane, fence)).toEqual({ kind: 'begun' });
      await lane.settle({ kind: 'bury', id: 'X', fence, reason: 'why', error: '' });
      expect(await completeWith(lane, fence)).toBe('gone');
      await lane.mutate({ kind: 'redrive', id: 'X' });
      expect(await look(lane, (await lane.claimOne('X')).fence)).toEqual({ kind: 'begun' });
    });

    it('goes along with a dedupe window, and with other settles of the same call', async () => {
      const lane = useLane();
      const ids = ['X', 'plain', 'stale', 'marked'];
      await lane.scheduleAll(ids);
      const claimed = await lane.claim();
      const fence = claimed[0]?.fence ?? 0;
      const mark = (result: string) => ({ life: LIFE, keepMs: DAY_MS, result });
      const reply = await lane.turn({
        settles: [
          { kind: 'complete', id: 'stale', fence: fence + 1, dedupeForMs: 0, mark: mark('1') },
          { kind: 'complete', id: 'plain', fence, dedupeForMs: 0 },
          { kind: 'complete', id: 'X', fence, dedupeForMs: 60_000, mark: mark('2') },
          { kind: 'retry', id: 'stale', fence, delayMs: 0, maxRetries: 3, error: 'boom' },
          { kind: 'complete', id: 'marked', fence, dedupeForMs: 0, mark: mark('3') },
        ],
      });
      expect(reply.settled).toEqual(['stale', 'applied', 'applied', 'applied', 'applied']);
      expect(await lane.get('X')).toMatchObject({ state: 'done' });
      await lane.advanceMs(60_000);
      await lane.scheduleAll(ids);
      const seen: Record<string, OwnMarkAnswer> = {};
      for (const task of await lane.claim()) {
        const own = { ref: lane.ref, id: task.id, life: LIFE, fence: task.fence };
        seen[task.id] = await lane.store.idempotency.look(own);
      }
      expect(seen).toEqual({
        X: { kind: 'done', result: '2' },
        marked: { kind: 'done', result: '3' },
        plain: { kind: 'begun' },
        stale: { kind: 'begun' },
      });
    });

    it.each<[string, (lane: TestLane, fence: number) => Promise<unknown>]>([
      ['failed', (lane, fence) => lane.settle({ ...RETRY, fence, maxRetries: 1 })],
      ['snoozed', (lane, fence) => lane.settle({ kind: 'snooze', id: 'X', fence, delayMs: 0 })],
      ['released', (lane, fence) => lane.settle({ kind: 'release', id: 'X', fence })],
      [
        'C29 dead and redriven',
        async (lane, fence) => {
          await lane.settle({ ...RETRY, fence, maxRetries: 0 });
          await lane.mutate({ kind: 'redrive', id: 'X' });
        },
      ],
      [
        'C29 dead of lost leases and redriven',
        async (lane) => {
          await lane.advanceMs(LEASE_MS);
          const { buried } = await lane.turn({ claim: {}, maxLostLeases: 1 });
          expect(buried).toHaveLength(1);
          await lane.mutate({ kind: 'redrive', id: 'X' });
        },
      ],
    ])('of a task that was %s is free for the next delivery', async (_how, end) => {
      const lane = useLane();
      const first = await running(lane);
      await end(lane, first);
      const { fence } = await lane.claimOne('X');
      expect(fence).toBeGreaterThan(first);
      expect(await look(lane, fence)).toEqual({ kind: 'begun' });
      expect(await look(lane, first)).toEqual({ kind: 'superseded' });
    });
  });
}

const RETRY = { kind: 'retry', id: 'X', delayMs: 0, error: 'boom' } as const;
