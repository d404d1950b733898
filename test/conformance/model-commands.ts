import fc from 'fast-check';
import type { DueTime, Mutation } from '../../libs/delay-queue/src/ports/mutation.js';
import type { Settle } from '../../libs/delay-queue/src/ports/settle.js';
import type { ListRequest } from '../../libs/delay-queue/src/ports/task-record.js';
import type { TrimLimits } from '../../libs/delay-queue/src/ports/task-store.js';
import type { TurnRequest } from '../../libs/delay-queue/src/ports/turn.js';
import { ARM_HOLD_MS, START_US } from './store-harness.js';

/**
 * Which fence a settle or an extension bears: that of the task's latest claim, that of the claim before, or one that was
 * never drawn. Only a run can tell the numbers.
 */
export type FenceChoice = 'latest' | 'before' | 'made up';

type WithoutFence<Item> = Item extends unknown ? Omit<Item, 'fence'> : never;

/** A settle whose fence is still to be filled in. */
export type ModelSettle = WithoutFence<Settle> & { readonly fence: FenceChoice };

/** A turn whose fences and partition are still to be filled in. */
export type ModelTurn = Omit<TurnRequest, 'ref' | 'settles' | 'extensions'> & {
  readonly settles: readonly ModelSettle[];
  readonly extensions: readonly { readonly id: string; readonly fence: FenceChoice }[];
};

/** One step of a random sequence. */
export type ModelCommand =
  | { readonly op: 'mutate'; readonly mutations: readonly Mutation[] }
  | { readonly op: 'turn'; readonly turn: ModelTurn }
  | { readonly op: 'peek'; readonly holder: string }
  | { readonly op: 'get'; readonly id: string }
  | { readonly op: 'list'; readonly request: ListRequest }
  | { readonly op: 'stats' }
  | { readonly op: 'setPaused'; readonly paused: boolean }
  | { readonly op: 'trim'; readonly limits: TrimLimits }
  | { readonly op: 'init' }
  | { readonly op: 'advance'; readonly byUs: number }
  /** Advances to the next due time or lease end, or to just before or after it. */
  | { readonly op: 'advanceToNext'; readonly plusUs: number };

/** Long enough for a task to be scheduled, claimed, lost, buried and redriven. */
const LONGEST_SEQUENCE = 45;

const SECOND_MS = 1_000;
const LEASE_MS = 30_000;
const HOUR_MS = 3_600_000;
const WEEK_MS = 7 * 24 * HOUR_MS;

/** Few, so that operations meet; the last two differ in order between UTF-8 and UTF-16. */
const anyId = fc.constantFrom('a', 'b|1', '\uffff', '\u{1F600}');

/** Ids that only a run can tell: of the first or the second task that is in a state. */
export const TARGETS = ['@waiting 0', '@waiting 1', '@running 0', '@running 1', '@dead 0', '@dead 1'] as const;

const idThatIs = (state: 'waiting' | 'running' | 'dead'): fc.Arbitrary<string> =>
  fc.oneof({ weight: 1, arbitrary: anyId }, { weight: 3, arbitrary: fc.constantFrom(`@${state} 0`, `@${state} 1`) });
const id = fc.oneof({ weight: 3, arbitrary: anyId }, { weight: 1, arbitrary: fc.constantFrom(...TARGETS) });
const holder = fc.constantFrom('A', 'B');

/** The same lengths everywhere, so that due times, lease ends and advances meet to the millisecond. */
const delayMs = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(0, 0, 1, 2, SECOND_MS) },
  { weight: 1, arbitrary: fc.constantFrom(ARM_HOLD_MS, LEASE_MS, HOUR_MS, 3 * WEEK_MS, 5_200 * WEEK_MS) },
);
const leaseMs = fc.constantFrom(1, 1, SECOND_MS, LEASE_MS);

const due: fc.Arbitrary<DueTime> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ delayMs }) },
  {
    weight: 1,
    arbitrary: fc.record({
      atMs: fc.constantFrom(-HOUR_MS, 0, 1, SECOND_MS, LEASE_MS).map((ms) => Math.floor(START_US / 1_000) + ms),
    }),
  },
);

const just = <Value extends string>(value: Value): fc.Arbitrary<Value> => fc.constant(value);

const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: just('schedule'),
      id,
      due,
      envelope: fc.constantFrom('[1,"é"]', '1e3', '{}', 'a|b\n', '0'),
      onDuplicate: fc.constantFrom('keep', 'replace'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: just('reschedule'), id, due }) },
  { weight: 2, arbitrary: fc.record({ kind: just('runNow'), id: idThatIs('waiting') }) },
  { weight: 2, arbitrary: fc.record({ kind: just('cancel'), id }) },
  { weight: 2, arbitrary: fc.record({ kind: just('redrive'), id: idThatIs('dead') }) },
  { weight: 1, arbitrary: fc.record({ kind: just('purgeDead'), id: idThatIs('dead') }) },
);

const fence: fc.Arbitrary<FenceChoice> = fc.oneof(
  { weight: 6, arbitrary: just('latest') },
  { weight: 1, arbitrary: just('before') },
  { weight: 1, arbitrary: just('made up') },
);

const error = fc.constantFrom('', 'boom', 'ü|\n7');

const runningId = idThatIs('running');

const settle: fc.Arbitrary<ModelSettle> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: just('complete'),
      id: runningId,
      fence,
      dedupeForMs: fc.constantFrom(0, SECOND_MS, LEASE_MS),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: just('retry'),
      id: runningId,
      fence,
      delayMs,
      maxRetries: fc.constantFrom(0, 1, 3),
      error,
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: just('snooze'), id: runningId, fence, delayMs }) },
  { weight: 3, arbitrary: fc.record({ kind: just('release'), id: runningId, fence }) },
  { weight: 2, arbitrary: fc.record({ kind: just('bury'), id: runningId, fence, reason: error, error }) },
);

const limits = fc.record({
  deadKeepMs: fc.constantFrom(0, SECOND_MS, 2 * WEEK_MS),
  deadMax: fc.constantFrom(0, 1, 2, 10_000),
});

const claim = fc.record({
  limit: fc.integer({ min: 1, max: 6 }),
  suspects: fc.constantFrom('take', 'put off', 'leave'),
  mayCallForHelp: fc.boolean(),
});

const turn: fc.Arbitrary<ModelTurn> = fc
  .record({
    holder,
    settles: fc.array(settle, { maxLength: 2 }),
    extensions: fc.array(fc.record({ id: runningId, fence }), { maxLength: 1 }),
    claim: fc.option(claim, { freq: 4 }),
    arm: fc.constantFrom('leave', 'take', 'force', 'resign'),
    leaseMs,
    maxLostLeases: fc.constantFrom(1, 3, 5, 5, 5),
    limits,
  })
  .map(({ limits: { deadKeepMs, deadMax }, ...others }) => ({ ...others, deadKeepMs, deadMax }));

const US_PER_MS = 1_000;

/** From a microsecond to weeks, in the lengths that tasks and leases have, now and then a step back. */
const byUs = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(1, 250, 500, 999) },
  {
    weight: 8,
    arbitrary: fc
      .constantFrom(1, 2, 500, SECOND_MS, ARM_HOLD_MS, ARM_HOLD_MS + 1, LEASE_MS, HOUR_MS, 3 * WEEK_MS)
      .map((ms) => ms * US_PER_MS),
  },
  { weight: 1, arbitrary: fc.constantFrom(-1, -US_PER_MS, -SECOND_MS * US_PER_MS) },
);

const op = <Op extends ModelCommand['op'], Rest extends object>(
  name: Op,
  rest: { readonly [Key in keyof Rest]: fc.Arbitrary<Rest[Key]> },
): fc.Arbitrary<{ readonly op: Op } & Rest> => fc.record(rest).map((fields) => ({ op: name, ...(fields as Rest) }));

/** Any step, the ones that change much more often than the ones that look. */
const anyCommand: fc.Arbitrary<ModelCommand> = fc.oneof(
  { weight: 8, arbitrary: op('mutate', { mutations: fc.array(mutation, { minLength: 1, maxLength: 4 }) }) },
  { weight: 12, arbitrary: op('turn', { turn }) },
  { weight: 5, arbitrary: op('advance', { byUs }) },
  { weight: 6, arbitrary: op('advanceToNext', { plusUs: fc.constantFrom(-1, 0, 0, 0, 1, 999) }) },
  { weight: 2, arbitrary: op('peek', { holder }) },
  { weight: 2, arbitrary: op('get', { id }) },
  {
    weight: 2,
    arbitrary: op('list', {
      request: fc.record({
        state: fc.constantFrom('waiting', 'running', 'dead'),
        offset: fc.integer({ min: 0, max: 2 }),
        limit: fc.integer({ min: 1, max: 5 }),
      }),
    }),
  },
  { weight: 1, arbitrary: op('stats', {}) },
  { weight: 1, arbitrary: op('setPaused', { paused: fc.constantFrom(true, false, false, false) }) },
  { weight: 1, arbitrary: op('trim', { limits }) },
  { weight: 1, arbitrary: op('init', {}) },
);

/** Claims whose leases run out one after the other, which single steps seldom come to: so tasks become suspects. */
const lostLeases: fc.Arbitrary<readonly ModelCommand[]> = fc
  .array(
    fc.tuple(
      fc.tuple(turn, claim).map(([some, wish]): ModelCommand => {
        return { op: 'turn', turn: { ...some, settles: [], claim: wish, leaseMs: 1, maxLostLeases: 5 } };
      }),
      fc.constant<ModelCommand>({ op: 'advanceToNext', plusUs: 0 }),
    ),
    { minLength: 2, maxLength: 4 },
  )
  .map((rounds) => rounds.flat());

/** A random sequence of steps. */
export const modelSequence: fc.Arbitrary<readonly ModelCommand[]> = fc
  .array(
    fc.oneof(
      { weight: 24, arbitrary: anyCommand.map((command): readonly ModelCommand[] => [command]) },
      { weight: 1, arbitrary: lostLeases },
    ),
    { minLength: 1, maxLength: LONGEST_SEQUENCE, size: 'max' },
  )
  .map((parts) => parts.flat());
