import type { PartitionRef } from '../../libs/delay-queue/src/core/partition.js';
import type { Mutation, MutationResult } from '../../libs/delay-queue/src/ports/mutation.js';
import type { Settle, SettleCode } from '../../libs/delay-queue/src/ports/settle.js';
import type { TaskRecord } from '../../libs/delay-queue/src/ports/task-record.js';
import type { TaskStore } from '../../libs/delay-queue/src/ports/task-store.js';
import type {
  ClaimedTask,
  ClaimRequest,
  PeekReply,
  TurnReply,
  TurnRequest,
} from '../../libs/delay-queue/src/ports/turn.js';
import { SignalRecorder } from './signal-recorder.js';
import type { StoreHarness } from './store-harness.js';

/** The lease that lanes take when a test does not say otherwise. */
export const LEASE_MS = 30_000;

/** The number of lost leases that buries a task when a test does not say otherwise. */
export const MAX_LOST_LEASES = 5;

const DAY_MS = 86_400_000;

type TurnChanges = Partial<Omit<TurnRequest, 'claim'>> & { readonly claim?: Partial<ClaimRequest> | null };

/** Whose calls, on which handle. */
export interface LaneOptions {
  /** @default 'me' */
  readonly holder?: string;
  /** @default the harness's first store */
  readonly store?: TaskStore;
}

/** One partition as one process sees it, with the calls of the store in the short form that tests read well in. */
export class TestLane {
  readonly holder: string;
  readonly store: TaskStore;

  constructor(
    readonly harness: StoreHarness,
    readonly ref: PartitionRef,
    options: LaneOptions = {},
  ) {
    this.holder = options.holder ?? 'me';
    this.store = options.store ?? harness.store;
  }

  /** The same partition, seen by another process. */
  as(holder: string): TestLane {
    return new TestLane(this.harness, this.ref, { holder, store: this.harness.secondStore });
  }

  /** The millisecond that has begun. */
  get nowMs(): number {
    return Math.floor(this.harness.nowUs() / 1_000);
  }

  async advanceMs(byMs: number): Promise<void> {
    await this.harness.setNowUs(this.harness.nowUs() + Math.round(byMs * 1_000));
  }

  async mutate(mutation: Mutation): Promise<MutationResult> {
    const [result] = await this.mutateAll([mutation]);
    if (result === undefined) throw new Error('the store gave no answer');
    return result;
  }

  async mutateAll(mutations: readonly Mutation[]): Promise<readonly MutationResult[]> {
    const answers = await this.store.mutate(this.ref, mutations);
    return answers.map((answer) => {
      if (!answer.ok) throw answer.error;
      return answer.result;
    });
  }

  schedule(id: string, delayMs = 0, envelope = `envelope of ${id}`): Promise<MutationResult> {
    return this.mutate({ kind: 'schedule', id, due: { delayMs }, envelope, onDuplicate: 'keep' });
  }

  async scheduleAll(ids: readonly string[], delayMs = 0): Promise<void> {
    await this.mutateAll(
      ids.map((id) => ({ kind: 'schedule', id, due: { delayMs }, envelope: id, onDuplicate: 'keep' })),
    );
  }

  replace(id: string, delayMs = 0, envelope = 'replaced'): Promise<MutationResult> {
    return this.mutate({ kind: 'schedule', id, due: { delayMs }, envelope, onDuplicate: 'replace' });
  }

  /** A turn that claims nothing and leaves the arm, but for the changes. */
  turn(changes: TurnChanges = {}): Promise<TurnReply> {
    const { claim, ...others } = changes;
    return this.store.turn({
      ref: this.ref,
      holder: this.holder,
      settles: [],
      extensions: [],
      arm: 'leave',
      leaseMs: LEASE_MS,
      maxLostLeases: MAX_LOST_LEASES,
      deadKeepMs: 14 * DAY_MS,
      deadMax: 10_000,
      ...others,
      claim: claim ? { limit: 100, suspects: 'take', mayCallForHelp: false, ...claim } : null,
    });
  }

  async claim(claim: Partial<ClaimRequest> = {}, changes: TurnChanges = {}): Promise<readonly ClaimedTask[]> {
    return (await this.turn({ ...changes, claim })).claimed;
  }

  /** Claims, and insists that exactly this task is handed out. */
  async claimOne(id: string): Promise<ClaimedTask> {
    const claimed = await this.claim();
    const [task] = claimed;
    if (task?.id !== id || claimed.length !== 1)
      throw new Error(`claimed ${JSON.stringify(claimed)}, not just '${id}'`);
    return task;
  }

  async settle(settle: Settle, changes: TurnChanges = {}): Promise<SettleCode> {
    const [code] = (await this.turn({ ...changes, settles: [settle] })).settled;
    if (code === undefined) throw new Error('the store gave no answer');
    return code;
  }

  async peek(): Promise<PeekReply> {
    const [reply] = await this.store.peek({ holder: this.holder, lanes: [this.ref] });
    if (reply === undefined) throw new Error('the store gave no answer');
    return reply;
  }

  get(id: string): Promise<TaskRecord | null> {
    return this.store.get(this.ref, id);
  }

  async idsOf(state: 'waiting' | 'running' | 'dead'): Promise<readonly string[]> {
    const records = await this.store.list(this.ref, { state, offset: 0, limit: 500 });
    return records.map(({ id }) => id);
  }

  /** Listens to this partition's signals from now on. */
  async listen(): Promise<SignalRecorder> {
    await this.store.listen([this.ref]);
    return new SignalRecorder(this.store, this.ref);
  }
}
