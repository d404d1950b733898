import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ConfigurationError, StoreRejectedError, StoreUnavailableError } from '../core/errors.js';
import { VirtualClock } from '../core/virtual-clock.js';
import { MemoryTaskStore } from '../memory/memory-task-store.js';
import type { Durability, Mutation, MutationAnswer, MutationResult } from '../ports/mutation.js';
import type { MutateOptions } from '../ports/task-store.js';
import type { PartitionRef } from '../core/partition.js';
import { MutationBuffer, type MutationBufferParts, type MutationCaller } from './mutation-buffer.js';

const REF: PartitionRef = { type: 't', partition: 0 };
const TIMEOUT_MS = 5_000;

/** A call that has arrived at the store and is not answered before the test says so. */
interface HeldCall {
  readonly mutations: readonly Mutation[];
  readonly ids: readonly string[];
  readonly options: MutateOptions | undefined;
  answer(): Promise<void>;
  fail(error: StoreUnavailableError | StoreRejectedError): Promise<void>;
  answerWith(answers: readonly MutationAnswer[]): Promise<void>;
  reject(error: Error): Promise<void>;
}

/** A memory store that keeps every mutation call waiting. */
class HoldingStore extends MemoryTaskStore {
  readonly calls: HeldCall[] = [];

  override mutate(
    ref: PartitionRef,
    mutations: readonly Mutation[],
    options?: MutateOptions,
  ): Promise<readonly MutationAnswer[]> {
    return new Promise((resolve, reject) => {
      const answerWith = (answers: readonly MutationAnswer[]) => {
        resolve(answers);
        return settled();
      };
      this.calls.push({
        mutations,
        ids: mutations.map(({ id }) => id),
        options,
        answer: async () => answerWith(await super.mutate(ref, mutations, options)),
        fail: (error) => answerWith(mutations.map(() => ({ ok: false, error }))),
        answerWith,
        reject: (error) => {
          reject(error);
          return settled();
        },
      });
    });
  }
}

/** Lets promises and immediates that are under way come to rest. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}

const schedule = (id: string, delayMs = 1_000): Mutation => ({
  kind: 'schedule',
  id,
  due: { delayMs },
  envelope: '[1,null,"m5d4ruo0abc123"]',
  onDuplicate: 'keep',
});
const cancel = (id: string): Mutation => ({ kind: 'cancel', id });
const numbered = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `t${index}`);

describe('MutationBuffer', () => {
  let clock: VirtualClock;
  let store: HoldingStore;
  let reported: (Error | null)[];
  let buffer: MutationBuffer;
  /** How each mutation ended, by the order of submission. */
  let outcomes: (MutationResult | Error | undefined)[];

  function newBuffer(parts: Partial<MutationBufferParts> = {}): MutationBuffer {
    return new MutationBuffer({
      store,
      ref: REF,
      clock,
      timeoutMs: TIMEOUT_MS,
      prepare: () => null,
      onCall: (error) => void reported.push(error),
      ...parts,
    });
  }

  function submit(...mutations: readonly Mutation[]): void {
    submitDurable(undefined, ...mutations);
  }

  function submitDurable(durability: Durability | undefined, ...mutations: readonly Mutation[]): void {
    for (const mutation of mutations) {
      const index = outcomes.push(undefined) - 1;
      buffer.submit(mutation, durability).then(
        (result) => (outcomes[index] = result),
        (error: unknown) => (outcomes[index] = error as Error),
      );
    }
  }

  const sent = (): readonly (readonly string[])[] => store.calls.map(({ ids }) => ids);
  const statuses = () => outcomes.map((outcome) => (outcome as MutationResult | undefined)?.status);

  beforeEach(() => {
    clock = new VirtualClock();
    store = new HoldingStore({ clock });
    reported = [];
    outcomes = [];
    buffer = newBuffer();
  });

  it('sends the mutations of one tick in one call, in the order of their calls', async () => {
    submit(schedule('b'), schedule('a'), cancel('b'));
    expect(store.calls).toEqual([]);
    await settled();
    expect(store.calls.map(({ mutations }) => mutations)).toEqual([[schedule('b'), schedule('a'), cancel('b')]]);
  });

  it('answers each with its own result', async () => {
    submit(schedule('a'), schedule('a'), cancel('a'), cancel('a'));
    await settled();
    await store.calls[0]?.answer();
    expect(statuses()).toEqual(['created', 'duplicate', 'cancelled', 'not_found']);
    expect(reported).toEqual([null]);
  });

  it('sends nothing when nothing is submitted', async () => {
    submit(schedule('a'));
    await settled();
    await store.calls[0]?.answer();
    expect(store.calls).toHaveLength(1);
  });

  describe('calls in flight', () => {
    it('are two at most; what comes meanwhile waits, and goes together', async () => {
      submit(schedule('a'));
      await settled();
      submit(schedule('b'));
      await settled();
      submit(schedule('c'));
      await settled();
      submit(schedule('d'));
      await settled();
      expect(sent()).toEqual([['a'], ['b']]);
      await store.calls[0]?.answer();
      expect(sent()).toEqual([['a'], ['b'], ['c', 'd']]);
    });

    it('share what is pending, when it is much', async () => {
      submit(...numbered(100).map((id) => schedule(id)));
      await settled();
      expect(sent()).toEqual([numbered(100).slice(0, 50), numbered(100).slice(50)]);
    });

    it.each([
      [15, [15]],
      [16, [8, 8]],
      [17, [9, 8]],
    ])('share %d mutations as %j', async (count, sizes) => {
      submit(...numbered(count).map((id) => schedule(id)));
      await settled();
      expect(sent().map(({ length }) => length)).toEqual(sizes);
    });

    it('carry 250 mutations at most', async () => {
      submit(...numbered(600).map((id) => schedule(id)));
      await settled();
      expect(sent().map(({ length }) => length)).toEqual([250, 250]);
      await store.calls[1]?.answer();
      expect(sent().map(({ length }) => length)).toEqual([250, 250, 100]);
      await store.calls[0]?.answer();
      await store.calls[2]?.answer();
      expect(new Set(statuses())).toEqual(new Set(['created']));
      expect(sent().flat()).toEqual(numbered(600));
    });
  });

  describe('several mutations of one caller', () => {
    /** What the caller was told, in the order in which it was. */
    let told: { readonly index: number; readonly outcome: MutationResult | Error }[];

    const caller: MutationCaller = {
      resolve: (result, index) => void told.push({ index, outcome: result }),
      reject: (error, index) => void told.push({ index, outcome: error as Error }),
    };
    const add = (...mutations: readonly Mutation[]) =>
      mutations.forEach((mutation, index) => buffer.add({ mutation, durability: undefined }, caller, index));

    beforeEach(() => {
      told = [];
    });

    it('keep their place among those of others, and are answered by their indexes', async () => {
      submit(schedule('a'));
      add(schedule('b'), cancel('a'));
      submit(schedule('a'));
      await settled();
      expect(sent()).toEqual([['a', 'b', 'a', 'a']]);
      await store.calls[0]?.answer();
      expect(told).toMatchObject([
        { index: 0, outcome: { status: 'created' } },
        { index: 1, outcome: { status: 'cancelled' } },
      ]);
      expect(statuses()).toEqual(['created', 'created']);
    });

    it('fail on their own when one of their calls does', async () => {
      add(...numbered(20).map((id) => schedule(id)));
      await settled();
      await store.calls[1]?.fail(new StoreUnavailableError('unknown', 'No answer.'));
      await store.calls[0]?.answer();
      expect(told.map(({ index }) => index).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, n) => n));
      for (const { index, outcome } of told) expect(outcome instanceof Error).toBe(index >= 10);
      expect(new Set(told.map(({ outcome }) => outcome)).size).toBe(20);
    });
  });

  it('tells what was applied before it tells the caller', async () => {
    const order: string[] = [];
    buffer = newBuffer({ onApplied: ({ id }, { status }) => void order.push(`${id} was ${status}`) });
    const done = Promise.allSettled(
      ['a', 'b'].map((id) => buffer.submit(schedule(id)).then(() => order.push(`told ${id}`))),
    );
    await settled();
    await store.calls[0]?.answerWith([
      { ok: true, result: { status: 'created', state: 'waiting', dueAtMs: 1 } },
      { ok: false, error: new StoreRejectedError('OOM', 'Full.') },
    ]);
    await done;
    expect(order).toEqual(['a was created', 'told a']);
  });

  describe('durability', () => {
    const durable = { replicas: 1, timeoutMs: 100 };

    it('is asked for in a call of its own, without changing the order', async () => {
      submit(schedule('a'));
      submitDurable(durable, schedule('b'), schedule('c'));
      submit(schedule('d'));
      await settled();
      expect(sent()).toEqual([['a'], ['b', 'c']]);
      await store.calls[0]?.answer();
      expect(sent()).toEqual([['a'], ['b', 'c'], ['d']]);
      expect(store.calls.map(({ options }) => options?.durability)).toEqual([undefined, durable, undefined]);
    });

    it.each([
      { replicas: 2, timeoutMs: 100 },
      { replicas: 1, timeoutMs: 200 },
    ])('of another kind, %j, does not go along', async (other) => {
      submitDurable(durable, schedule('a'));
      submitDurable({ ...durable }, schedule('b'));
      submitDurable(other, schedule('c'));
      await settled();
      expect(sent()).toEqual([['a', 'b'], ['c']]);
      expect(store.calls.map(({ options }) => options?.durability)).toEqual([durable, other]);
    });
  });

  describe('C51 one task', () => {
    it('waits for the answer to its last mutation before the next is sent', async () => {
      submit(schedule('x'));
      await settled();
      submit(cancel('x'));
      await settled();
      expect(sent()).toEqual([['x']]);
      await store.calls[0]?.answer();
      expect(sent()).toEqual([['x'], ['x']]);
      await store.calls[1]?.answer();
      expect(statuses()).toEqual(['created', 'cancelled']);
    });

    it('makes those wait that were called after it', async () => {
      submit(schedule('x'));
      await settled();
      submit(schedule('a'), cancel('x'), schedule('b'));
      await settled();
      expect(sent()).toEqual([['x'], ['a']]);
      await store.calls[1]?.answer();
      expect(sent()).toEqual([['x'], ['a']]);
      await store.calls[0]?.answer();
      expect(sent()).toEqual([['x'], ['a'], ['x', 'b']]);
    });

    it('waits no longer when its call has failed', async () => {
      submit(schedule('x'));
      await settled();
      submit(cancel('x'));
      await settled();
      await store.calls[0]?.fail(new StoreUnavailableError('unknown', 'No answer.'));
      expect(sent()).toEqual([['x'], ['x']]);
    });

    it('ends as if its calls had been made one after the other, in whatever ticks they come', async () => {
      const mutation = fc.tuple(fc.constantFrom('x', 'y', 'z'), fc.nat(5)).map(([id, kind]): Mutation => {
        if (kind <= 1) return schedule(id, 1_000 + kind);
        if (kind === 2) return cancel(id);
        if (kind === 3) return { kind: 'reschedule', id, due: { delayMs: 9_000 } };
        return kind === 4 ? { kind: 'runNow', id } : ({ ...schedule(id, 7_000), onDuplicate: 'replace' } as Mutation);
      });
      const step = fc.record({ mutation, endsTick: fc.nat(3).map((n) => n === 0), answers: fc.nat(3) });
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), async (steps) => {
          const target = new HoldingStore({ clock });
          const tested = newBuffer({ store: target });
          const model = new MemoryTaskStore({ clock });
          const results: Promise<MutationResult>[] = [];
          let answered = 0;
          for (const { mutation: next, endsTick, answers } of steps) {
            results.push(tested.submit(next));
            if (!endsTick) continue;
            await settled();
            for (let count = 0; count < answers; count++) await target.calls[answered++]?.answer();
            answered = Math.min(answered, target.calls.length);
          }
          await settled();
          while (answered < target.calls.length) await target.calls[answered++]?.answer();
          const expected: unknown[] = [];
          for (const { mutation: next } of steps) expected.push((await model.mutate(REF, [next]))[0]);
          expect((await Promise.all(results)).map((result) => ({ ok: true, result }))).toEqual(expected);
        }),
        { numRuns: 60 },
      );
    });
  });

  describe('when a call fails', () => {
    it.each([new StoreUnavailableError('unknown', 'No answer.'), new StoreRejectedError('OOM', 'Full.')])(
      'rejects each of its callers with an error of their own, like %p',
      async (error) => {
        submit(schedule('a'), schedule('b'));
        await settled();
        await store.calls[0]?.fail(error);
        for (const outcome of outcomes) {
          expect(outcome).toBeInstanceOf(error.constructor);
          expect(outcome).toMatchObject({
            code: error.code,
            outcome: error.outcome,
            message: error.message,
            cause: error,
          });
          expect(outcome).not.toBe(error);
        }
        expect(outcomes[0]).not.toBe(outcomes[1]);
        expect(reported).toEqual([error]);
      },
    );

    it('keeps the outcome of the error, and the reason of a refusal', async () => {
      submit(schedule('a'));
      await settled();
      await store.calls[0]?.fail(new StoreUnavailableError('not_sent', 'Away.'));
      submit(schedule('b'));
      await settled();
      await store.calls[1]?.fail(new StoreRejectedError('READONLY', 'A replica.'));
      expect(outcomes).toEqual([
        expect.objectContaining({ outcome: 'not_sent' }),
        expect.objectContaining({ outcome: 'not_sent', reason: 'READONLY' }),
      ]);
    });

    it('leaves those of the other call alone', async () => {
      submit(...numbered(20).map((id) => schedule(id)));
      await settled();
      await store.calls[0]?.fail(new StoreUnavailableError('unknown', 'No answer.'));
      await store.calls[1]?.answer();
      expect(outcomes.slice(0, 10).every((outcome) => outcome instanceof StoreUnavailableError)).toBe(true);
      expect(statuses().slice(10)).toEqual(Array.from({ length: 10 }, () => 'created'));
    });

    it('fails only the mutations that the store says have failed', async () => {
      submit(schedule('a'), schedule('b'));
      await settled();
      const error = new StoreUnavailableError('unknown', 'No answer.');
      await store.calls[0]?.answerWith([
        { ok: true, result: { status: 'created', state: 'waiting', dueAtMs: 1 } },
        { ok: false, error },
      ]);
      expect(outcomes).toEqual([{ status: 'created', state: 'waiting', dueAtMs: 1 }, expect.any(Error)]);
      expect(reported).toEqual([error]);
    });

    it('does not pretend to know what became of a mutation that got no answer', async () => {
      submit(schedule('a'), schedule('b'));
      await settled();
      await store.calls[0]?.answerWith([{ ok: true, result: { status: 'created', state: 'waiting', dueAtMs: 1 } }]);
      expect(outcomes[1]).toMatchObject({ code: 'store_unavailable', outcome: 'unknown' });
    });

    it('C35 sends no more what has waited for the time limit by then, and says that it was not sent', async () => {
      submit(schedule('x'));
      await settled();
      submit(cancel('x'));
      await clock.advanceMs(1);
      submit(schedule('young'));
      await clock.advanceMs(TIMEOUT_MS - 1);
      await store.calls[0]?.fail(new StoreUnavailableError('unknown', 'No answer.'));
      expect(outcomes[1]).toMatchObject({ code: 'store_unavailable', outcome: 'not_sent' });
      expect(outcomes[1]).toMatchObject({ message: 'Not sent, because the store is away: No answer.' });
      expect(sent()).toEqual([['x'], ['young']]);
    });

    it('sends what has waited for less', async () => {
      submit(schedule('x'));
      await settled();
      submit(cancel('x'));
      await clock.advanceMs(TIMEOUT_MS - 1);
      await store.calls[0]?.fail(new StoreUnavailableError('unknown', 'No answer.'));
      expect(sent()).toEqual([['x'], ['x']]);
    });

    it('rejects no one who waits when a call succeeds after a long time', async () => {
      submit(schedule('x'));
      await settled();
      submit(cancel('x'));
      await clock.advanceMs(10 * TIMEOUT_MS);
      await store.calls[0]?.answer();
      expect(sent()).toEqual([['x'], ['x']]);
    });

    it('goes on when the store rejects, against its promise', async () => {
      const error = new Error('broken store');
      submit(schedule('a'));
      await settled();
      await store.calls[0]?.reject(error);
      expect(outcomes[0]).toBe(error);
      submit(schedule('a'));
      await settled();
      await store.calls[1]?.answer();
      expect(statuses()[1]).toBe('created');
    });
  });

  describe('preparing the type', () => {
    it('comes before anything is sent, and what comes meanwhile goes along', async () => {
      let ready: () => void = () => undefined;
      buffer = newBuffer({ prepare: () => new Promise((resolve) => (ready = resolve)) });
      submit(schedule('a'));
      await settled();
      submit(schedule('b'));
      await settled();
      expect(sent()).toEqual([]);
      ready();
      await settled();
      expect(sent()).toEqual([['a', 'b']]);
    });

    it('that fails rejects everyone who waits, and is tried again for the next', async () => {
      const failures: Error[] = [new ConfigurationError('types.t.partitions', 'the store has 1')];
      const prepare = () => (failures.length > 0 ? Promise.reject(failures.pop() as Error) : null);
      buffer = newBuffer({ prepare });
      submit(schedule('a'), schedule('b'));
      await settled();
      expect(outcomes).toEqual([expect.any(ConfigurationError), expect.any(ConfigurationError)]);
      submit(schedule('c'));
      await settled();
      expect(sent()).toEqual([['c']]);
    });

    it('C35 that fails because the store is away says that nothing was sent, to each with an error of their own', async () => {
      const cause = new StoreUnavailableError('unknown', 'No answer to the first call.');
      buffer = newBuffer({ prepare: () => Promise.reject(cause) });
      submit(schedule('a'), schedule('b'));
      await settled();
      expect(outcomes).toEqual([
        expect.objectContaining({ code: 'store_unavailable', outcome: 'not_sent', cause }),
        expect.objectContaining({ code: 'store_unavailable', outcome: 'not_sent', cause }),
      ]);
      expect(outcomes[0]).not.toBe(outcomes[1]);
      expect(sent()).toEqual([]);
    });
  });

  describe('drained', () => {
    let drained: boolean;

    const watchDrained = () => {
      drained = false;
      void buffer.drained().then(() => (drained = true));
    };

    it('is at once when nothing is under way', async () => {
      await expect(buffer.drained()).resolves.toBeUndefined();
    });

    it('is when everything that waits, and everything in flight, has been answered', async () => {
      submit(schedule('x'));
      await settled();
      submit(cancel('x'));
      watchDrained();
      await store.calls[0]?.answer();
      expect(drained).toBe(false);
      await store.calls[1]?.answer();
      expect(drained).toBe(true);
    });

    it('waits for what was submitted in this very tick', async () => {
      submit(schedule('x'));
      watchDrained();
      await settled();
      expect(drained).toBe(false);
      await store.calls[0]?.answer();
      expect(drained).toBe(true);
    });

    it('is when what waits has failed', async () => {
      buffer = newBuffer({ prepare: () => Promise.reject(new Error('no')) });
      submit(schedule('x'));
      watchDrained();
      await settled();
      expect(drained).toBe(true);
    });

    it('tells everyone who waits for it', async () => {
      submit(schedule('x'));
      const all = Promise.all([buffer.drained(), buffer.drained()]);
      await settled();
      await store.calls[0]?.answer();
      await expect(all).resolves.toHaveLength(2);
    });
  });
});
