import { describe, expect, it } from '@jest/globals';
import type { Mutation } from '../../libs/delay-queue/src/ports/mutation.js';
import { TASK_STATES } from './task-states.js';
import type { TestLane } from './test-lane.js';

/** What mutations leave behind, beyond their answers. */
export function describeMutationEffects(useLane: () => TestLane): void {
  describe('what mutations leave behind', () => {
    it.each(['waiting', 'waiting again after a retry', 'dead'] as const)(
      'nothing of a cancelled task that was %s',
      async (from) => {
        const lane = useLane();
        await TASK_STATES[from](lane);
        await lane.mutate({ kind: 'cancel', id: 'X' });
        expect(await lane.get('X')).toBeNull();
        expect(await lane.store.stats(lane.ref)).toMatchObject({ waiting: 0, running: 0, dead: 0, done: 0 });
      },
    );

    it('C23 an id that is free again, counting from nothing, after a cancellation', async () => {
      const lane = useLane();
      await TASK_STATES['waiting again after a retry'](lane);
      await lane.mutate({ kind: 'cancel', id: 'X' });
      expect(await lane.schedule('X')).toMatchObject({ status: 'created' });
      expect(await lane.claimOne('X')).toMatchObject({ deliveries: 1, failures: 0, lostLeases: 0, redrives: 0 });
    });

    it.each(['waiting again after a retry', 'dead'] as const)(
      'a new life with counters 0 when a task that was %s is replaced',
      async (from) => {
        const lane = useLane();
        await TASK_STATES[from](lane);
        await lane.replace('X', 0, 'the new one');
        const counters = { deliveries: 0, failures: 0, lostLeases: 0, redrives: 0 };
        expect(await lane.get('X')).toMatchObject({ state: 'waiting', envelope: 'the new one', ...counters });
        expect(await lane.idsOf('dead')).toEqual([]);
      },
    );

    it('the counters and the envelope of a rescheduled task', async () => {
      const lane = useLane();
      await TASK_STATES['waiting again after a retry'](lane);
      const before = await lane.get('X');
      await lane.mutate({ kind: 'reschedule', id: 'X', due: { delayMs: 0 } });
      expect(await lane.get('X')).toEqual({ ...before, dueAtMs: lane.nowMs });
    });

    it('C29 the same envelope, deliveries kept and failures forgotten after a redrive, and one redrive more each', async () => {
      const lane = useLane();
      await TASK_STATES.dead(lane);
      const dead = await lane.get('X');
      await lane.mutate({ kind: 'redrive', id: 'X' });
      const task = await lane.claimOne('X');
      expect(task).toMatchObject({ envelope: 'old', failures: 0, lostLeases: 0, redrives: 1, dueAtMs: lane.nowMs });
      expect(task.deliveries).toBe((dead?.deliveries ?? 0) + 1);
      await lane.settle({ kind: 'retry', id: 'X', fence: task.fence, delayMs: 0, maxRetries: 0, error: 'again' });
      await lane.mutate({ kind: 'redrive', id: 'X' });
      expect(await lane.get('X')).toMatchObject({ state: 'waiting', redrives: 2, failures: 0 });
    });

    it('C51 the state of the calls made one after the other', async () => {
      const lane = useLane();
      const due = { delayMs: 1_000 };
      const schedule: Mutation = { kind: 'schedule', id: 'X', due, envelope: 'e', onDuplicate: 'keep' };
      const results = await lane.mutateAll([
        schedule,
        { kind: 'cancel', id: 'X' },
        schedule,
        schedule,
        { ...schedule, id: 'Y' },
        { kind: 'runNow', id: 'X' },
        { kind: 'purgeDead', id: 'Z' },
      ]);
      const statuses = results.map(({ status }) => status);
      const expected = ['created', 'cancelled', 'created', 'duplicate', 'created', 'rescheduled', 'not_found'];
      expect(statuses).toEqual(expected);
      expect(await lane.idsOf('waiting')).toEqual(['X', 'Y']);
    });

    it.each([
      [{ delayMs: 0 }, 0],
      [{ delayMs: 1 }, 2],
      [{ delayMs: 2 ** 31 }, 2 ** 31 + 1],
      [{ delayMs: 100 * 365.25 * 86_400_000 }, 100 * 365.25 * 86_400_000 + 1],
    ])('C14 the due time of %j is now + %d ms, a quarter past a millisecond', async (due, aheadMs) => {
      const lane = useLane();
      const { dueAtMs } = await lane.mutate({ kind: 'schedule', id: 'X', due, envelope: 'e', onDuplicate: 'keep' });
      expect(dueAtMs).toBe(lane.nowMs + aheadMs);
      expect((await lane.get('X'))?.dueAtMs).toBe(lane.nowMs + aheadMs);
    });

    it('C15 a due time in the past is now, one in the future is itself', async () => {
      const lane = useLane();
      const at = (atMs: number) =>
        lane.mutate({ kind: 'schedule', id: `at ${atMs}`, due: { atMs }, envelope: 'e', onDuplicate: 'keep' });
      expect((await at(lane.nowMs - 86_400_000)).dueAtMs).toBe(lane.nowMs);
      expect((await at(0)).dueAtMs).toBe(lane.nowMs);
      expect((await at(lane.nowMs + 5)).dueAtMs).toBe(lane.nowMs + 5);
    });

    it('an answer to no mutations', async () => {
      expect(await useLane().mutateAll([])).toEqual([]);
    });
  });
}
