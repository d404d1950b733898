import { describe, expect, it } from '@jest/globals';
import { LEASE_MS, type TestLane } from './test-lane.js';

/** What happens after a server has lost, or damaged, what it kept. */
export function describeLostData(useLane: () => TestLane): void {
  describe('after all data were lost', () => {
    it.each(['initialised again', 'not initialised'])(
      'C50 a holder from before is refused when its task was scheduled again and claimed by another, %s',
      async (how) => {
        const lane = useLane();
        const [a, b, c] = [lane.as('a'), lane.as('b'), lane.as('c')];
        await a.schedule('X');
        const heldByA = await a.claimOne('X');
        await a.advanceMs(LEASE_MS);
        const heldByB = await b.claimOne('X');
        await b.settle({ kind: 'complete', id: 'X', fence: heldByB.fence, dedupeForMs: 0 });
        await lane.harness.loseEverything();
        await lane.advanceMs(0.001);
        if (how === 'initialised again') await b.store.init(b.ref);
        await b.schedule('X');
        const heldByC = await c.claimOne('X');
        expect(await a.settle({ kind: 'complete', id: 'X', fence: heldByA.fence, dedupeForMs: 0 })).toBe('stale');
        expect(await b.settle({ kind: 'release', id: 'X', fence: heldByB.fence })).toBe('stale');
        expect(await c.settle({ kind: 'complete', id: 'X', fence: heldByC.fence, dedupeForMs: 0 })).toBe('applied');
      },
    );

    it('C45 the epoch is absent until it is begun again, and every key with it', async () => {
      const lane = useLane();
      await lane.schedule('X');
      await lane.store.setPaused(lane.ref, true);
      await lane.turn({ arm: 'take' });
      await lane.harness.loseEverything();
      const reply = await lane.turn({ claim: {} });
      expect(reply).toMatchObject({ epoch: 'absent', lastFence: 0, claimed: [], paused: false, armed: false });
      expect(await lane.store.init(lane.ref)).toBe(true);
      expect(await lane.peek()).toMatchObject({ epoch: 'present' });
    });

    it('signals still arrive', async () => {
      const lane = useLane();
      const signals = await lane.listen();
      await lane.harness.loseEverything();
      await lane.schedule('X');
      expect(await signals.take()).toEqual(['wake everyone']);
    });
  });

  describe('a task without an envelope', () => {
    it('is removed and reported by the claim that meets it, waiting or running', async () => {
      const lane = useLane();
      await lane.scheduleAll(['running', 'waiting']);
      await lane.claim({ limit: 1 });
      await lane.advanceMs(2 * LEASE_MS);
      await lane.scheduleAll(['good']);
      await lane.harness.removeEnvelope(lane.ref, 'running');
      await lane.harness.removeEnvelope(lane.ref, 'waiting');
      const reply = await lane.turn({ claim: {} });
      expect(reply.orphans).toEqual(['running', 'waiting']);
      expect(reply.claimed).toMatchObject([{ id: 'good' }]);
      expect(await lane.store.stats(lane.ref)).toMatchObject({ waiting: 0, running: 1, dead: 0 });
      expect(await lane.get('running')).toBeNull();
    });
  });
}
