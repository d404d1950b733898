import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { QueueClosedError, StoreUnavailableError } from '../core/errors.js';
import { VirtualClock } from '../core/virtual-clock.js';
import type { Mutation, MutationResult } from '../ports/mutation.js';
import { FaultyStore } from './faulty-store.spec-support.js';
import { RuntimeHarness } from './runtime-harness.spec-support.js';

const TYPE = 't';

const schedule = (id: string, delayMs = 1_000): Mutation => ({
  kind: 'schedule',
  id,
  due: { delayMs },
  envelope: '[1,null,"m5d4ruo0abc123"]',
  onDuplicate: 'keep',
});

const handIn = (...mutations: readonly Mutation[]) =>
  mutations.map((mutation) => ({ mutation, durability: undefined }));

const statusesOf = (outcomes: readonly (MutationResult | Error)[]) =>
  outcomes.map((outcome) => (outcome instanceof Error ? outcome.message : outcome.status));

describe('MutationDesk', () => {
  it('C51 carries out several mutations as if each had been made in turn, over all partitions', async () => {
    const mutation = fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e'), fc.nat(4)).map(([id, kind]): Mutation => {
      if (kind <= 1) return schedule(id, 1_000 + kind);
      if (kind === 2) return { kind: 'cancel', id };
      return kind === 3 ? { kind: 'runNow', id } : { kind: 'reschedule', id, due: { delayMs: 9_000 } };
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(mutation, { maxLength: 40 }),
        fc.integer({ min: 1, max: 3 }),
        async (all, partitions) => {
          const options = { types: { [TYPE]: { partitions } } };
          const together = new RuntimeHarness({ options });
          const outcomes = await together.runtime.submitMany(TYPE, handIn(...all));
          const inTurn = new RuntimeHarness({ options });
          const expected: MutationResult[] = [];
          for (const each of all) expected.push(await inTurn.runtime.submit(TYPE, each));
          expect(outcomes).toEqual(expected);
          const told = (harness: RuntimeHarness) =>
            harness
              .eventsOf('mutated')
              .map(({ id, mutation: kind, status }) => `${id} ${kind} ${status}`)
              .toSorted();
          expect(told(together)).toEqual(told(inTurn));
          await Promise.all([together.runtime.close(), inTurn.runtime.close()]);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('applies what was submitted before, and after, in its order', async () => {
    const { runtime } = new RuntimeHarness();
    const [before, many, after] = await Promise.all([
      runtime.submit(TYPE, schedule('a')),
      runtime.submitMany(TYPE, handIn({ kind: 'cancel', id: 'a' }, schedule('b'))),
      runtime.submit(TYPE, schedule('a')),
    ]);
    expect([before.status, ...statusesOf(many), after.status]).toEqual(['created', 'cancelled', 'created', 'created']);
    await runtime.close();
  });

  it('answers each of a failed call with an error object of its own, and the rest with their results', async () => {
    const clock = new VirtualClock();
    const store = new FaultyStore(clock);
    const harness = new RuntimeHarness({ clock, store });
    await harness.runtime.open();
    let calls = 0;
    store.fault = (call) => (call === 'mutate' && ++calls === 2 ? 'answer lost' : null);
    const ids = Array.from({ length: 40 }, (_, index) => `id-${index}`);
    const outcomes = await harness.runtime.submitMany(TYPE, handIn(...ids.map((id) => schedule(id))));
    const errors = outcomes.slice(20);
    expect(new Set(statusesOf(outcomes.slice(0, 20)))).toEqual(new Set(['created']));
    for (const error of errors) expect(error).toMatchObject({ outcome: 'unknown' });
    expect(errors.every((error) => error instanceof StoreUnavailableError)).toBe(true);
    expect(new Set(errors).size).toBe(20);
    expect(harness.eventsOf('mutated').map(({ id }) => id)).toEqual(ids.slice(0, 20));
    await harness.runtime.close();
  });

  it('takes nothing after it was closed, and of several mutations none', async () => {
    const { runtime } = new RuntimeHarness();
    await runtime.close();
    await expect(runtime.submit(TYPE, schedule('a'))).rejects.toThrow(QueueClosedError);
    await expect(runtime.submitMany(TYPE, handIn(schedule('a')))).rejects.toThrow(QueueClosedError);
  });

  it('answers several that are none', async () => {
    const { runtime } = new RuntimeHarness();
    expect(await runtime.submitMany(TYPE, [])).toEqual([]);
    await runtime.close();
  });
});
