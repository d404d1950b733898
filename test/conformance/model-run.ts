import { inspect, isDeepStrictEqual } from 'node:util';
import type { PartitionRef } from '../../libs/delay-queue/src/core/partition.js';
import type { TaskStore } from '../../libs/delay-queue/src/ports/task-store.js';
import type { TurnReply, TurnRequest } from '../../libs/delay-queue/src/ports/turn.js';
import type { FenceChoice, ModelCommand, ModelTurn } from './model-commands.js';
import { SignalRecorder } from './signal-recorder.js';

/** Two stores that are to behave alike, one clock for both, and a look at the inside of the second. */
export interface ModelStores {
  readonly specification: TaskStore;
  readonly subject: TaskStore;
  nowUs(): number;
  setNowUs(nowUs: number): Promise<void>;
  checkInvariants(ref: PartitionRef): Promise<void>;
}

/** What happened in a sequence, to show that sequences reach what they are meant to reach. */
export type Coverage = Map<string, number>;

/** The commands that are calls of a store. */
type StoreCommand = Exclude<ModelCommand, { readonly op: 'advance' | 'advanceToNext' }>;

/** A fence that no claim draws: they are microseconds since the epoch. */
const NEVER_DRAWN = 7;

/** Applies one sequence to both stores, comparing every answer, and at the end all signals. */
export class ModelRun {
  private readonly fences = new Map<string, number[]>();
  private isInitialised = false;

  constructor(
    private readonly stores: ModelStores,
    private readonly ref: PartitionRef,
    private readonly coverage: Coverage,
  ) {}

  /** @throws Error that names the step and both answers, when they differ. */
  async apply(commands: readonly ModelCommand[]): Promise<void> {
    const { specification, subject } = this.stores;
    await Promise.all([specification.listen([this.ref]), subject.listen([this.ref])]);
    const recorders = [new SignalRecorder(specification, this.ref), new SignalRecorder(subject, this.ref)] as const;
    for (const [index, command] of commands.entries()) await this.step(command, index + 1);
    const [expected, found] = await Promise.all([recorders[0].take(), recorders[1].take()]);
    for (const recorder of recorders) recorder.stop();
    for (const signal of expected) this.count(`signal ${signal}`);
    compare('the signals of the whole sequence', expected, found);
  }

  private async step(command: ModelCommand, number: number): Promise<void> {
    if (command.op === 'advance') return this.advance(command.byUs);
    if (command.op === 'advanceToNext') return this.advanceToNext(command.plusUs);
    const { specification, subject } = this.stores;
    const call = this.callOf(await this.withIds(command));
    const expected = await call(specification);
    const found = await call(subject);
    compare(`step ${number}, ${command.op}`, expected, found);
    this.learn(command, expected);
    await this.stores.checkInvariants(this.ref);
  }

  private async advance(byUs: number): Promise<void> {
    // Without an epoch nothing holds fences against a clock that steps back.
    if (byUs < 0 && !this.isInitialised) return;
    await this.stores.setNowUs(this.stores.nowUs() + byUs);
  }

  private async advanceToNext(plusUs: number): Promise<void> {
    const [lane] = await this.stores.specification.peek({ holder: 'nobody', lanes: [this.ref] });
    const byUs = (lane?.nextAtMs ?? 0) * 1_000 + plusUs - this.stores.nowUs();
    if (byUs > 0) await this.advance(byUs);
  }

  /** Puts the ids of the tasks that are in a state now into the places of the targets that ask for them. */
  private async withIds<Command extends ModelCommand>(command: Command): Promise<Command> {
    const ids = new Map<string, string>();
    for (const state of ['waiting', 'running', 'dead'] as const) {
      const records = await this.stores.specification.list(this.ref, { state, offset: 0, limit: 2 });
      for (const nth of [0, 1]) ids.set(`@${state} ${nth}`, records[nth]?.id ?? 'a');
    }
    return replaceTargets(command, ids);
  }

  /** Fills in what only this run knows; the same call goes to both stores. */
  private callOf(command: StoreCommand): (store: TaskStore) => Promise<unknown> {
    const { ref } = this;
    switch (command.op) {
      case 'mutate':
        return (store) => store.mutate(ref, command.mutations);
      case 'turn': {
        const request = this.resolveTurn(command.turn);
        return (store) => store.turn(request);
      }
      case 'peek':
        return (store) => store.peek({ holder: command.holder, lanes: [ref] });
      case 'get':
        return (store) => store.get(ref, command.id);
      case 'list':
        return (store) => store.list(ref, command.request);
      case 'stats':
        return (store) => store.stats(ref);
      case 'setPaused':
        return (store) => store.setPaused(ref, command.paused);
      case 'trim':
        return (store) => store.trim(ref, command.limits);
      case 'init':
        return (store) => store.init(ref);
      default:
        return command satisfies never;
    }
  }

  private resolveTurn(turn: ModelTurn): TurnRequest {
    return {
      ...turn,
      ref: this.ref,
      settles: turn.settles.map((settle) => ({ ...settle, fence: this.fenceOf(settle.id, settle.fence) })),
      extensions: turn.extensions.map(({ id, fence }) => ({ id, fence: this.fenceOf(id, fence) })),
    };
  }

  private fenceOf(id: string, choice: FenceChoice): number {
    const drawn = this.fences.get(id) ?? [];
    switch (choice) {
      case 'latest':
        return drawn.at(-1) ?? NEVER_DRAWN;
      case 'before':
        return drawn.at(-2) ?? NEVER_DRAWN;
      case 'made up':
        return (drawn.at(-1) ?? NEVER_DRAWN) + 1;
      default:
        return choice satisfies never;
    }
  }

  private learn(command: ModelCommand, reply: unknown): void {
    if (command.op === 'init') this.isInitialised = true;
    if (command.op === 'mutate') {
      for (const { result } of reply as readonly { result: { status: string; state: string } }[]) {
        this.count(`${result.status} ${result.state}`);
      }
    }
    if (command.op === 'turn') this.learnTurn(command.turn, reply as TurnReply);
  }

  private learnTurn(turn: ModelTurn, reply: TurnReply): void {
    for (const [index, code] of reply.settled.entries()) this.count(`${turn.settles[index]?.kind} ${code}`);
    for (const code of reply.extended) this.count(`extend ${code}`);
    for (const task of reply.claimed) {
      this.fences.set(task.id, [...(this.fences.get(task.id) ?? []), task.fence]);
      this.count(`claimed${task.lostLeases > 1 ? ' suspect' : ''}${task.redrives > 0 ? ' redriven' : ''}`);
    }
    if (reply.buried.length > 0) this.count('buried');
    if (reply.overdueLeft) this.count('overdue left');
    if (reply.paused) this.count('paused');
    this.count(reply.armed ? `armed by ${turn.arm}` : `not armed by ${turn.arm}`);
    this.count(`epoch ${reply.epoch}`);
  }

  private count(what: string): void {
    this.coverage.set(what, (this.coverage.get(what) ?? 0) + 1);
  }
}

/** Copies a command with every `id` that is a target replaced. */
function replaceTargets<Value>(value: Value, ids: ReadonlyMap<string, string>): Value {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => replaceTargets(item, ids)) as Value;
  const fields = Object.entries(value).map(([name, field]: [string, unknown]) => [
    name,
    name === 'id' && typeof field === 'string' ? (ids.get(field) ?? field) : replaceTargets(field, ids),
  ]);
  return Object.fromEntries(fields) as Value;
}

function compare(what: string, expected: unknown, found: unknown): void {
  if (isDeepStrictEqual(found, expected)) return;
  const show = (value: unknown): string => inspect(value, { depth: 9, breakLength: 120 });
  throw new Error(`${what}: the memory store answers\n${show(expected)}\nthe other one\n${show(found)}`);
}
