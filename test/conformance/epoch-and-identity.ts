import { describe, expect, it } from '@jest/globals';
import { ConfigurationError, QueueClosedError } from '../../libs/delay-queue/src/core/errors.js';
import type { TypeMeta } from '../../libs/delay-queue/src/ports/task-store.js';
import type { CreateHarness } from './store-harness.js';
import { TestLane } from './test-lane.js';

const ODD_IDS: readonly (readonly [string, string])[] = [
  ['a colon', 'order:1'],
  ['several colons', 'a:b:c'],
  ['a URL', 'https://x/y?z'],
  ['a hash tag', '{slot}'],
  ['braces the wrong way round', '}{'],
  ['a number', '123'],
  ['a blank', ' '],
  ['a composed letter', 'é'],
  ['a decomposed letter', 'e\u0301'],
  ['an emoji', '\u{1F469}\u200D\u{1F680}'],
  ['a NUL', '\0'],
  ['a NUL within', 'a\0b'],
  ['a bar', 'a|b'],
  ['a line break', 'a\r\nb'],
  ['512 bytes', 'é'.repeat(256)],
  ['a property of every object', '__proto__'],
  ['another one', 'constructor'],
  ['a quote', '"'],
  ['a percent sign', '%d%s'],
];

/** Task ids, the epoch of a partition, and the settings of a type. */
export function describeEpochAndIdentity(useLane: () => TestLane, createHarness: CreateHarness): void {
  describe('C32 task ids', () => {
    it.each(ODD_IDS)('with %s go from schedule to completion unchanged', async (_name, id) => {
      const lane = useLane();
      await lane.schedule(id, 0, `{"id":${JSON.stringify(id)}}`);
      const { fence } = await lane.claimOne(id);
      expect((await lane.get(id))?.envelope).toBe(`{"id":${JSON.stringify(id)}}`);
      await lane.settle({ kind: 'bury', id, fence, reason: id, error: id });
      expect(await lane.get(id)).toMatchObject({ id, state: 'dead', reason: id, error: id });
      await lane.mutate({ kind: 'redrive', id });
      const again = await lane.claimOne(id);
      await lane.settle({ kind: 'complete', id, fence: again.fence, dedupeForMs: 1_000 });
      expect(await lane.schedule(id)).toMatchObject({ status: 'duplicate', state: 'done' });
    });

    it('are all distinct', async () => {
      const lane = useLane();
      const ids = ODD_IDS.map(([, id]) => id);
      await lane.scheduleAll(ids);
      const claimed = await lane.claim();
      expect(new Set(claimed.map(({ id }) => id))).toEqual(new Set(ids));
      expect(claimed.every(({ id, envelope }) => id === envelope)).toBe(true);
    });

    it('of one partition mean nothing in another', async () => {
      const lane = useLane();
      const neighbour = new TestLane(lane.harness, { ...lane.ref, partition: lane.ref.partition + 1 });
      const stranger = new TestLane(lane.harness, { ...lane.ref, type: `${lane.ref.type}.` });
      await lane.schedule('X');
      for (const other of [neighbour, stranger]) {
        expect(await other.get('X')).toBeNull();
        expect(await other.claim()).toEqual([]);
        expect(await other.schedule('X')).toMatchObject({ status: 'created' });
      }
    });
  });

  describe('the epoch of a partition', () => {
    it('is begun by init alone, once', async () => {
      const lane = uninitialised(useLane());
      expect(await lane.peek()).toMatchObject({ epoch: 'absent', lastFence: 0 });
      await lane.schedule('X');
      expect(await lane.turn({ claim: {} })).toMatchObject({ epoch: 'absent', lastFence: 0 });
      expect(await lane.peek()).toMatchObject({ epoch: 'absent', lastFence: 0 });
      expect(await lane.store.init(lane.ref)).toBe(true);
      expect(await lane.store.init(lane.ref)).toBe(false);
      expect(await lane.peek()).toMatchObject({ epoch: 'present', lastFence: lane.harness.nowUs() });
    });

    it('need not have begun for tasks to run: fences come from the clock', async () => {
      const lane = uninitialised(useLane());
      await lane.schedule('X');
      const { fence } = await lane.claimOne('X');
      expect(fence).toBe(lane.harness.nowUs());
      expect(await lane.settle({ kind: 'complete', id: 'X', fence: fence + 1, dedupeForMs: 0 })).toBe('stale');
      expect(await lane.settle({ kind: 'complete', id: 'X', fence, dedupeForMs: 0 })).toBe('applied');
    });
  });

  describe('C57 the settings of a type', () => {
    const meta = (lane: TestLane, changes: Partial<TypeMeta> = {}): TypeMeta => ({
      type: lane.ref.type,
      partitions: 4,
      dedupeForMs: 60_000,
      ...changes,
    });

    it('are kept when first registered, and the same are accepted from every process', async () => {
      const lane = useLane();
      await lane.store.register(meta(lane));
      await expect(lane.as('other').store.register(meta(lane))).resolves.toBeUndefined();
    });

    it.each([
      ['partitions', { partitions: 8 }, /\b4\b.*\b8\b/],
      ['dedupeFor', { dedupeForMs: 90_000 }, /\b60000\b.*\b90000\b/],
    ])('are refused when %s differs, naming both values', async (setting, changes, bothValues) => {
      const lane = useLane();
      await lane.store.register(meta(lane));
      const refused = lane.as('other').store.register(meta(lane, changes));
      await expect(refused).rejects.toThrow(ConfigurationError);
      await expect(refused).rejects.toMatchObject({ field: `types.${lane.ref.type}.${setting}` });
      await expect(refused).rejects.toThrow(bothValues);
      await expect(lane.store.register(meta(lane))).resolves.toBeUndefined();
    });
  });

  it('a closed store rejects every call and completes its signals', async () => {
    const harness = await createHarness();
    const { store } = harness;
    const ref = { type: 'closing', partition: 0 };
    const lane = new TestLane(harness, ref);
    let completed = false;
    store.wakeups$.subscribe({ complete: () => (completed = true) });
    await store.close();
    await store.close();
    expect(completed).toBe(true);
    const calls: readonly (() => Promise<unknown>)[] = [
      () => store.open(),
      () => store.register({ type: 'closing', partitions: 1, dedupeForMs: 0 }),
      () => store.init(ref),
      () => store.listen([ref]),
      () => store.signal({ kind: 'ping', ref, holder: 'me' }),
      () => lane.schedule('X'),
      () => lane.turn(),
      () => lane.peek(),
      () => lane.get('X'),
      () => lane.idsOf('waiting'),
      () => store.stats(ref),
      () => store.setPaused(ref, true),
      () => store.trim(ref, { deadKeepMs: 1, deadMax: 1 }),
    ];
    for (const call of calls) await expect(call()).rejects.toThrow(QueueClosedError);
    await harness.dispose();
  });
}

/** A partition of the same type that nobody has initialised. */
function uninitialised(lane: TestLane): TestLane {
  return new TestLane(lane.harness, { ...lane.ref, partition: lane.ref.partition + 1 });
}
