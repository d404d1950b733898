import { describe, expect, it } from '@jest/globals';
import type { Settle } from '../../libs/delay-queue/src/ports/settle.js';
import { LEASE_MS, type TestLane } from './test-lane.js';

const complete = (fence: number): Settle => ({ kind: 'complete', id: 'X', fence, dedupeForMs: 0 });
const retry = (fence: number): Settle => ({
  kind: 'retry',
  id: 'X',
  fence,
  delayMs: 0,
  maxRetries: 3,
  error: 'too late',
});

/** Who holds a task, and whose word counts. */
export function describeFencing(useLane: () => TestLane): void {
  describe('the fence', () => {
    it('C50 refuses a holder whose task was completed by another, scheduled again and claimed by a third', async () => {
      const [a, b, c] = threeProcesses(useLane());
      await a.schedule('X');
      const heldByA = await a.claimOne('X');
      await a.advanceMs(LEASE_MS);
      const heldByB = await b.claimOne('X');
      await b.settle(complete(heldByB.fence));
      await b.schedule('X');
      const heldByC = await c.claimOne('X');
      expect(await a.settle(complete(heldByA.fence))).toBe('stale');
      expect(await a.settle(retry(heldByA.fence))).toBe('stale');
      expect(await b.settle(retry(heldByB.fence))).toBe('stale');
      expect(await c.settle(complete(heldByC.fence))).toBe('applied');
      expect(await c.get('X')).toBeNull();
    });

    it('C50 also when the task was replaced while it waited for a retry', async () => {
      const [a, b, c] = threeProcesses(useLane());
      await a.schedule('X');
      const heldByA = await a.claimOne('X');
      await a.advanceMs(LEASE_MS);
      const heldByB = await b.claimOne('X');
      await b.settle({ kind: 'retry', id: 'X', fence: heldByB.fence, delayMs: 60_000, maxRetries: 3, error: '' });
      await b.replace('X');
      expect(await a.settle(complete(heldByA.fence))).toBe('gone');
      const heldByC = await c.claimOne('X');
      expect(heldByC.deliveries).toBe(1);
      expect(await a.settle(complete(heldByA.fence))).toBe('stale');
      expect(await b.settle(complete(heldByB.fence))).toBe('stale');
      expect(await c.settle(complete(heldByC.fence))).toBe('applied');
    });

    it.each([
      ['resolves', complete],
      ['throws', retry],
    ])('C11 refuses a replaced holder that %s after its work was done by another', async (_how, settle) => {
      const [a, b] = threeProcesses(useLane());
      await a.schedule('X');
      const heldByA = await a.claimOne('X');
      await a.advanceMs(3 * LEASE_MS);
      const heldByB = await b.claimOne('X');
      expect(heldByB).toMatchObject({ deliveries: 2, lostLeases: 1 });
      expect(await a.settle(settle(heldByA.fence))).toBe('stale');
      expect(await b.settle(complete(heldByB.fence))).toBe('applied');
      expect(await a.settle(settle(heldByA.fence))).toBe('gone');
      expect(await a.get('X')).toBeNull();
      expect(await a.store.stats(a.ref)).toMatchObject({ waiting: 0, running: 0, dead: 0, done: 0 });
    });

    it('C12 lets a late holder settle while nobody has taken the task', async () => {
      const lane = useLane();
      await lane.schedule('X');
      const { fence } = await lane.claimOne('X');
      await lane.advanceMs(3 * LEASE_MS);
      expect(await lane.settle(complete(fence))).toBe('applied');
      expect(await lane.claim()).toEqual([]);
    });

    it('rises with every claim, also within one microsecond and when the clock steps back', async () => {
      const lane = useLane();
      await lane.scheduleAll(['a', 'b', 'c']);
      const fences: number[] = [];
      for (const stepMs of [0, 0, -60_000]) {
        await lane.advanceMs(stepMs);
        for (const id of await lane.idsOf('waiting')) await lane.mutate({ kind: 'runNow', id });
        const [task] = await lane.claim({ limit: 1 });
        fences.push(task?.fence ?? 0);
      }
      expect(fences).toEqual([fences[0], (fences[0] ?? 0) + 1, (fences[0] ?? 0) + 2]);
      expect((await lane.peek()).lastFence).toBe(fences[2]);
    });

    it('is drawn by claims that take something, and by no others', async () => {
      const lane = useLane();
      const before = (await lane.peek()).lastFence;
      await lane.advanceMs(10);
      expect((await lane.turn({ claim: {} })).lastFence).toBe(before);
      await lane.schedule('X');
      const { claimed, lastFence, fenceBefore } = await lane.turn({ claim: {} });
      expect(lastFence).toBe(lane.harness.nowUs());
      expect(fenceBefore).toBe(before);
      expect(claimed[0]?.fence).toBe(lastFence);
    });
  });

  describe('C24 a cancellation beside a claim', () => {
    it('either prevents the start or leaves the task to its end, never both', async () => {
      const [consumer, producer] = threeProcesses(useLane());
      const outcomes = new Set<string>();
      for (let round = 0; round < 50; round++) {
        await producer.schedule('X');
        const [claimed, { status }] = await raced(round % 2 === 0, {
          claim: () => consumer.claim(),
          cancel: () => producer.mutate({ kind: 'cancel', id: 'X' }),
        });
        outcomes.add(`${status}, started ${claimed.length}`);
        for (const { fence } of claimed) expect(await consumer.settle(complete(fence))).toBe('applied');
        expect(await producer.get('X')).toBeNull();
      }
      for (const outcome of outcomes) expect(['cancelled, started 0', 'running, started 1']).toContain(outcome);
    });
  });
}

/** Sends two calls at once, one or the other first. */
async function raced<Claim, Cancel>(
  claimFirst: boolean,
  { claim, cancel }: { claim: () => Promise<Claim>; cancel: () => Promise<Cancel> },
): Promise<[Claim, Cancel]> {
  if (claimFirst) return Promise.all([claim(), cancel()]);
  const cancelled = cancel();
  return Promise.all([claim(), cancelled]);
}

function threeProcesses(lane: TestLane): [TestLane, TestLane, TestLane] {
  return [lane.as('a'), lane.as('b'), lane.as('c')];
}
