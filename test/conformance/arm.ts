import { describe, expect, it } from '@jest/globals';
import type { Mutation } from '../../libs/delay-queue/src/ports/mutation.js';
import { ARM_HOLD_MS } from './store-harness.js';
import { LEASE_MS, type TestLane } from './test-lane.js';

/** Who watches the next due time, and what it is told of. */
export function describeArm(useLane: () => TestLane): void {
  describe('the arm', () => {
    it('is one process at a time: taken when free, kept against others, told by a beat', async () => {
      const lane = useLane();
      const signals = await lane.listen();
      expect((await lane.turn({ arm: 'take' })).armed).toBe(true);
      expect((await lane.as('other').turn({ arm: 'take' })).armed).toBe(false);
      expect((await lane.turn({ arm: 'take' })).armed).toBe(true);
      expect((await lane.turn()).armed).toBe(true);
      expect(await signals.take()).toEqual(['beat me']);
    });

    it('goes to who takes it once its holder has been silent for longer than it holds', async () => {
      const lane = useLane();
      await lane.turn({ arm: 'take' });
      await lane.advanceMs(ARM_HOLD_MS);
      expect((await lane.as('other').turn({ arm: 'take' })).armed).toBe(false);
      await lane.advanceMs(1);
      expect((await lane.as('other').turn({ arm: 'take' })).armed).toBe(true);
      expect((await lane.turn()).armed).toBe(false);
    });

    it('goes to who forces it at any time', async () => {
      const lane = useLane();
      const signals = await lane.listen();
      await lane.turn({ arm: 'take' });
      expect((await lane.turn({ holder: 'other', arm: 'force' })).armed).toBe(true);
      expect((await lane.peek()).armed).toBe(false);
      expect(await signals.take()).toEqual(['beat me', 'beat other']);
    });

    it.each(['turns that leave it', 'peeks'])('is renewed by its holder through %s', async (how) => {
      const lane = useLane();
      await lane.turn({ arm: 'take' });
      for (let beat = 0; beat < 4; beat++) {
        await lane.advanceMs(ARM_HOLD_MS);
        if (how === 'peeks') await lane.peek();
        else await lane.turn();
      }
      await lane.advanceMs(ARM_HOLD_MS);
      expect((await lane.as('other').turn({ arm: 'take' })).armed).toBe(false);
    });

    it('is taken back by a peek of its holder, also late, and not by that of another', async () => {
      const lane = useLane();
      const signals = await lane.listen();
      await lane.turn({ arm: 'take' });
      await lane.advanceMs(10 * ARM_HOLD_MS);
      expect((await lane.as('other').peek()).armed).toBe(false);
      expect((await lane.peek()).armed).toBe(true);
      expect((await lane.as('other').turn({ arm: 'take' })).armed).toBe(false);
      expect(await signals.take()).toEqual(['beat me', 'beat me']);
    });

    it('is free after it was resigned; everyone is woken when something waits', async () => {
      const lane = useLane();
      const signals = await lane.listen();
      await lane.turn({ arm: 'take' });
      expect((await lane.turn({ holder: 'other', arm: 'resign' })).armed).toBe(false);
      expect((await lane.turn({ arm: 'resign' })).armed).toBe(false);
      expect(await signals.take()).toEqual(['beat me']);
      await lane.turn({ arm: 'take' });
      await lane.schedule('X', 1_000);
      await lane.turn({ arm: 'resign' });
      expect(await signals.take()).toEqual(['beat me', 'wake me', 'wake everyone']);
      expect((await lane.turn({ holder: 'other', arm: 'take' })).armed).toBe(true);
    });
  });

  describe('C54 what comes before the armed time', () => {
    it('wakes the holder, and what comes after it wakes nobody', async () => {
      const lane = useLane();
      const signals = await lane.listen();
      await lane.turn({ arm: 'take' });
      await lane.schedule('far', 60_000);
      await lane.schedule('farther', 70_000);
      await lane.schedule('far as well', 60_000);
      await lane.schedule('near', 10_000);
      expect(await signals.take()).toEqual(['beat me', 'wake me', 'wake me']);
    });

    it('wakes the holder when a task is rescheduled, run now or replaced', async () => {
      const lane = useLane();
      const signals = await lane.listen();
      await lane.scheduleAll(['a', 'b', 'c', 'd'], 60_000);
      await lane.turn({ arm: 'take' });
      await signals.take();
      await lane.mutate({ kind: 'reschedule', id: 'a', due: { delayMs: 50_000 } });
      await lane.replace('b', 40_000);
      await lane.mutate({ kind: 'runNow', id: 'c' });
      expect(await signals.take()).toEqual(['wake me', 'wake me', 'wake me']);
      await lane.mutate({ kind: 'reschedule', id: 'd', due: { delayMs: 90_000 } });
      expect(await signals.take()).toEqual([]);
    });

    it('wakes the holder when a dead letter is redriven', async () => {
      const lane = useLane();
      await lane.schedule('X');
      const { fence } = await lane.claimOne('X');
      await lane.settle({ kind: 'bury', id: 'X', fence, reason: '', error: '' });
      await lane.turn({ arm: 'take' });
      const signals = await lane.listen();
      await lane.mutate({ kind: 'redrive', id: 'X' });
      expect(await signals.take()).toEqual(['wake me']);
    });

    it.each([
      { kind: 'retry', delayMs: 100, maxRetries: 3, error: '' },
      { kind: 'snooze', delayMs: 100 },
      { kind: 'release' },
    ] as const)('wakes the holder when another process gives a task back by $kind', async (settle) => {
      const lane = useLane();
      await lane.schedule('X');
      const { fence } = await lane.claimOne('X');
      await lane.as('holder').turn({ arm: 'take' });
      const signals = await lane.listen();
      await lane.settle({ ...settle, id: 'X', fence });
      expect(await signals.take()).toEqual(['wake holder']);
    });

    it('wakes nobody when the holder itself gives a task back: its reply tells the time', async () => {
      const lane = useLane();
      await lane.schedule('X');
      const { claimed } = await lane.turn({ claim: {}, arm: 'take' });
      const signals = await lane.listen();
      await lane.settle({ kind: 'snooze', id: 'X', fence: claimed[0]?.fence ?? 0, delayMs: 5 });
      expect(await signals.take()).toEqual([]);
      await lane.schedule('Y', 7);
      expect(await signals.take()).toEqual([]);
      await lane.schedule('Z', 3);
      expect(await signals.take()).toEqual(['wake me']);
    });

    it.each(['there is no holder', 'the holder is silent'])('wakes everyone when %s', async (who) => {
      const lane = useLane();
      if (who === 'the holder is silent') await lane.as('holder').turn({ arm: 'take' });
      await lane.advanceMs(ARM_HOLD_MS + 1);
      const signals = await lane.listen();
      await lane.schedule('X', 60_000);
      expect(await signals.take()).toEqual(['wake everyone']);
    });

    it('wakes nobody when what was scheduled is cancelled in the same call', async () => {
      const lane = useLane();
      const signals = await lane.listen();
      await lane.mutateAll([
        { kind: 'schedule', id: 'X', due: { delayMs: 1 }, envelope: '', onDuplicate: 'keep' },
        { kind: 'cancel', id: 'X' },
      ]);
      expect(await signals.take()).toEqual([]);
    });

    it('wakes the holder for what is left when the earliest of one call is cancelled in that call', async () => {
      const lane = useLane();
      await lane.schedule('far', 60_000);
      await lane.turn({ arm: 'take' });
      const signals = await lane.listen();
      const first: Mutation = { kind: 'schedule', id: 'X', due: { delayMs: 1 }, envelope: '', onDuplicate: 'keep' };
      await lane.mutateAll([first, { ...first, id: 'Y', due: { delayMs: 9 } }, { kind: 'cancel', id: 'X' }]);
      expect(await signals.take()).toEqual(['wake me']);
      await lane.schedule('Z', 10);
      expect(await signals.take()).toEqual([]);
    });

    it('wakes everyone when a partition is resumed in which leases alone are over', async () => {
      const lane = useLane();
      await lane.schedule('X');
      await lane.claimOne('X');
      await lane.store.setPaused(lane.ref, true);
      await lane.advanceMs(LEASE_MS);
      const signals = await lane.listen();
      await lane.store.setPaused(lane.ref, false);
      expect(await signals.take()).toEqual(['wake everyone']);
    });

    it('wakes the holder when the partition is resumed, and nobody while it is paused', async () => {
      const lane = useLane();
      await lane.store.setPaused(lane.ref, true);
      await lane.turn({ arm: 'take' });
      const signals = await lane.listen();
      await lane.schedule('X');
      expect(await signals.take()).toEqual([]);
      await lane.store.setPaused(lane.ref, false);
      expect(await signals.take()).toEqual(['wake me']);
      expect(await lane.claim()).toMatchObject([{ id: 'X' }]);
    });
  });
}
