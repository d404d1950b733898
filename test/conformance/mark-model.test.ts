import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { DoneMark, MarkClaim } from '../../libs/delay-queue/src/ports/idempotency-store.js';
import type { TaskStore } from '../../libs/delay-queue/src/ports/task-store.js';
import { ModelPair } from './model-pair.js';
import { START_US } from './store-harness.js';
import { LEASE_MS, MAX_LOST_LEASES } from './test-lane.js';

/** Fixed, so that every run sees the same sequences; another one finds other sequences. */
const SEED = Number(process.env['MODEL_SEED'] ?? 20_250_102);
const SEQUENCES = Number(process.env['MODEL_SEQUENCES'] ?? 500);

/** Some ten times what it takes on two slow cores. */
const TIME_LIMIT_MS = 120_000;

type MarkCommand =
  | { readonly op: 'begin' | 'extend' | 'finish' | 'drop'; readonly key: string; readonly claim: MarkClaim }
  | { readonly op: 'claim' }
  | { readonly op: 'look'; readonly life: string; readonly stale: boolean }
  | { readonly op: 'complete'; readonly life: string; readonly stale: boolean; readonly marked: boolean }
  | { readonly op: 'advance'; readonly byMs: number };

/** What sequences must have come across, or they are not random enough to show anything. */
const REACHED = [
  'begin begun, begin in progress, begin done, begin superseded',
  'extend true, extend false, finish finished, finish done before, finish lost, drop true, drop false',
  'look begun, look done, look superseded, complete applied, complete stale, complete gone',
].flatMap((line) => line.split(', '));

/** Far above what a sequence takes: Redis frees a mark's memory by the real time, and the clock of the tests stands still. */
const HOUR_MS = 3_600_000;
const lengths = fc.constantFrom(LEASE_MS, 60_000, HOUR_MS);
const life = fc.constantFrom('life1', 'life2');
const anyCommand: fc.Arbitrary<MarkCommand> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      op: fc.constantFrom('begin', 'begin', 'extend', 'finish', 'drop'),
      key: fc.constantFrom('k', '{k}|d|\u{1F600}'),
      claim: fc.record({ owner: fc.constantFrom('a', 'b|1'), fence: fc.constantFrom(0, 1, 2 ** 50), holdMs: lengths }),
    }),
  },
  { weight: 3, arbitrary: fc.constant<MarkCommand>({ op: 'claim' }) },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('look'), life, stale: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({ op: fc.constant('complete'), life, stale: fc.boolean(), marked: fc.boolean() }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      op: fc.constant('advance'),
      byMs: fc.oneof(lengths, fc.constantFrom(0.25, 1, LEASE_MS - 1)),
    }),
  },
);

/** One sequence on both stores, in keys of its own. */
class MarkRun {
  private fence = 7;

  constructor(
    private readonly pair: ModelPair,
    private readonly name: string,
    private readonly coverage: Set<string>,
  ) {}

  async apply(commands: readonly MarkCommand[]): Promise<void> {
    for (const command of commands) await this.step(command);
  }

  private async step(command: MarkCommand): Promise<void> {
    const { pair } = this;
    if (command.op === 'advance') return pair.setNowUs(pair.nowUs() + command.byMs * 1_000);
    const expected = await this.call(pair.specification, command);
    const found = await this.call(pair.subject, command);
    expect(found).toEqual(expected);
    if (!isDeepStrictEqual(found, expected)) throw new Error('the answers differ in their types');
    this.learn(command, expected);
  }

  private async call(store: TaskStore, command: Exclude<MarkCommand, { op: 'advance' }>): Promise<unknown> {
    const marks = store.idempotency;
    const ref = { type: this.name, partition: 0 };
    switch (command.op) {
      case 'begin':
      case 'extend':
        return marks[command.op](`${this.name} ${command.key}`, command.claim);
      case 'finish':
        return marks.finish(`${this.name} ${command.key}`, command.claim, resultOf(command.claim));
      case 'drop':
        return marks.drop(`${this.name} ${command.key}`, command.claim);
      case 'claim': {
        await store.mutate(ref, [
          { kind: 'schedule', id: 'X', due: { delayMs: 0 }, envelope: 'E', onDuplicate: 'keep' },
        ]);
        return store.turn({ ...this.turn(), claim: { limit: 1, suspects: 'take', mayCallForHelp: false } });
      }
      case 'look':
        return marks.look({ ref, id: 'X', life: command.life, fence: this.fenceOf(command) });
      case 'complete': {
        const mark = { life: command.life, keepMs: HOUR_MS, result: command.life === 'life1' ? null : '[1]' };
        const settle = { kind: 'complete', id: 'X', fence: this.fenceOf(command), dedupeForMs: 0 } as const;
        return store.turn({ ...this.turn(), settles: [command.marked ? { ...settle, mark } : settle] });
      }
      default:
        return command satisfies never;
    }
  }

  private fenceOf({ stale }: { readonly stale: boolean }): number {
    return stale ? this.fence - 1 : this.fence;
  }

  private turn() {
    const ref = { type: this.name, partition: 0 };
    const limits = { leaseMs: LEASE_MS, maxLostLeases: MAX_LOST_LEASES, deadKeepMs: 1_000, deadMax: 10 };
    return { ref, holder: 'me', settles: [], extensions: [], claim: null, arm: 'leave', ...limits } as const;
  }

  private learn(command: MarkCommand, answer: unknown): void {
    const { kind, claimed, settled } = Object(answer) as { kind?: string; claimed?: { fence: number }[]; settled?: [] };
    this.fence = claimed?.[0]?.fence ?? this.fence;
    for (const code of settled ?? [kind ?? answer]) this.coverage.add(`${command.op} ${String(code)}`);
  }
}

function resultOf({ owner, holdMs }: MarkClaim): DoneMark {
  return { keepMs: holdMs, result: owner === 'a' ? null : '"ü|"' };
}

describe('the memory store as the model of the marks in Redis', () => {
  let pair: ModelPair;

  beforeAll(async () => {
    pair = await ModelPair.open();
  });

  afterAll(async () => {
    await pair.dispose();
  });

  it(
    `gives the same answers in ${SEQUENCES} random sequences (seed ${SEED})`,
    async () => {
      const coverage = new Set<string>();
      let sequencesRun = 0;
      const sequence = fc.array(anyCommand, { minLength: 5, maxLength: 40, size: 'max' });
      const property = fc.asyncProperty(sequence, async (commands) => {
        await pair.setNowUs(START_US);
        await new MarkRun(pair, `marks-${sequencesRun++}`, coverage).apply(commands);
      });
      await fc.assert(property, { seed: SEED, numRuns: SEQUENCES });
      expect(REACHED.filter((what) => !coverage.has(what))).toEqual([]);
    },
    TIME_LIMIT_MS,
  );
});
