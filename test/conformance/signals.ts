import { describe, expect, it } from '@jest/globals';
import { LEASE_MS, type TestLane } from './test-lane.js';

/** What processes tell each other. */
export function describeSignals(useLane: () => TestLane): void {
  describe('a call for help', () => {
    it('is sent when overdue tasks are left and the caller may call', async () => {
      const lane = useLane();
      await lane.scheduleAll(['a', 'b', 'c']);
      const signals = await lane.listen();
      await lane.claim({ limit: 1, mayCallForHelp: false });
      expect(await signals.take()).toEqual([]);
      await lane.claim({ limit: 1, mayCallForHelp: true });
      expect(await signals.take()).toEqual(['help me']);
      await lane.claim({ limit: 1, mayCallForHelp: true });
      expect(await signals.take()).toEqual([]);
    });

    it('is sent for a lease that is over', async () => {
      const lane = useLane();
      await lane.scheduleAll(['a', 'b']);
      await lane.claim();
      await lane.advanceMs(LEASE_MS);
      const signals = await lane.listen();
      await lane.claim({ limit: 1, mayCallForHelp: true });
      expect(await signals.take()).toEqual(['help me']);
    });
  });

  describe('signals', () => {
    it('reach every process that listens, in order and unchanged', async () => {
      const lane = useLane();
      const { ref } = lane;
      const other = lane.as('other');
      const [signals, others] = [await lane.listen(), await other.listen()];
      await lane.store.signal({ kind: 'ping', ref, holder: 'me' });
      await lane.store.signal({ kind: 'beat', ref, holder: '1' });
      await lane.store.signal({ kind: 'help', ref, holder: 'me' });
      await lane.store.signal({ kind: 'calm', ref, holder: 'me' });
      await lane.store.signal({ kind: 'wake', ref, holder: 'me' });
      await lane.store.signal({ kind: 'wake', ref, holder: null });
      const expected = ['ping me', 'beat 1', 'help me', 'calm me', 'wake me', 'wake everyone'];
      expect(await signals.take()).toEqual(expected);
      expect(await others.take()).toEqual(expected);
    });

    it('of partitions that nobody asked for do not arrive', async () => {
      const lane = useLane();
      const signals = await lane.listen();
      const unlisted = { type: lane.ref.type, partition: lane.ref.partition + 1 };
      const arrived: string[] = [];
      const subscription = lane.store.wakeups$.subscribe((wakeup) => {
        if (wakeup.kind !== 'resubscribed' && wakeup.ref.partition !== lane.ref.partition) arrived.push(wakeup.kind);
      });
      await lane.store.signal({ kind: 'ping', ref: unlisted, holder: 'me' });
      await lane.store.mutate(unlisted, [
        { kind: 'schedule', id: 'X', due: { delayMs: 0 }, envelope: '', onDuplicate: 'keep' },
      ]);
      expect(await signals.take()).toEqual([]);
      expect(arrived).toEqual([]);
      subscription.unsubscribe();
    });
  });
}
