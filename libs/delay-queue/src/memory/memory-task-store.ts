import type { Observable } from 'rxjs';
import { type Clock, systemClock } from '../core/clock.js';
import { ConfigurationError, QueueClosedError } from '../core/errors.js';
import { partitionName, type PartitionRef } from '../core/partition.js';
import type { IdempotencyStore } from '../ports/idempotency-store.js';
import type { Mutation, MutationAnswer } from '../ports/mutation.js';
import type { ListRequest, PartitionStats, TaskRecord } from '../ports/task-record.js';
import type { MutateOptions, TaskStore, TrimLimits, TypeMeta } from '../ports/task-store.js';
import type { PeekReply, PeekRequest, TurnReply, TurnRequest } from '../ports/turn.js';
import type { PartitionSignal, Wakeup } from '../ports/wakeup.js';
import { announceLowered, renewArm } from './arm.js';
import { MemoryIdempotencyStore } from './memory-idempotency-store.js';
import { MemoryPartition } from './memory-partition.js';
import { MemorySignals } from './memory-signals.js';
import { applyMutation } from './mutations.js';
import { readStoreTime, type StoreTime } from './store-time.js';
import { countTasks, listTasks, readTask } from './task-records.js';
import { trimAll } from './trims.js';
import { applyTurn, type TurnContext } from './turn.js';

/** Settings of a {@link MemoryTaskStore}. */
export interface MemoryTaskStoreOptions {
  /** Where the time comes from. @default the clock of the process */
  readonly clock?: Clock;
  /**
   * How long an arm holds without being renewed, in milliseconds. Inside one process nobody falls silent unnoticed, so
   * by default it never lapses. @default Infinity
   */
  readonly armHoldMs?: number;
}

/**
 * Keeps tasks in the memory of the process: nothing survives a restart.
 *
 * It is the executable specification of the queue. Every other store gives the same answers and the same signals for the
 * same calls at the same times. Each call is carried out at once and as a whole; only its answer and its signals come
 * later.
 */
export class MemoryTaskStore implements TaskStore {
  readonly reliableWakeups: boolean = true;
  readonly idempotency: IdempotencyStore = new MemoryIdempotencyStore({
    begin: (ref) => this.begin(ref),
    beginCall: () => this.beginCall(),
  });

  private readonly clock: Clock;
  private readonly armHoldMs: number;
  private readonly partitions = new Map<string, MemoryPartition>();
  private readonly metas = new Map<string, TypeMeta>();
  private readonly signals = new MemorySignals();
  private closed = false;

  constructor({ clock = systemClock, armHoldMs = Infinity }: MemoryTaskStoreOptions = {}) {
    this.clock = clock;
    this.armHoldMs = armHoldMs;
  }

  get wakeups$(): Observable<Wakeup> {
    return this.signals.wakeups$;
  }

  async open(): Promise<readonly string[]> {
    this.assertOpen();
    return [];
  }

  async close(): Promise<void> {
    this.closed = true;
    this.signals.close();
  }

  async register(meta: TypeMeta): Promise<void> {
    this.assertOpen();
    const known = this.metas.get(meta.type);
    if (known === undefined) {
      this.metas.set(meta.type, meta);
      return;
    }
    assertSame(`types.${meta.type}.partitions`, known.partitions, meta.partitions);
    assertSame(`types.${meta.type}.dedupeFor`, known.dedupeForMs, meta.dedupeForMs);
  }

  async init(ref: PartitionRef): Promise<boolean> {
    const { partition, time } = this.begin(ref);
    if (partition.fence !== null) return false;
    partition.fence = time.nowUs;
    return true;
  }

  async listen(refs: readonly PartitionRef[]): Promise<void> {
    this.assertOpen();
    this.signals.listen(refs);
  }

  async signal(signal: PartitionSignal): Promise<void> {
    this.assertOpen();
    this.signals.publish([signal]);
  }

  async mutate(
    ref: PartitionRef,
    mutations: readonly Mutation[],
    { durability }: MutateOptions = {},
  ): Promise<readonly MutationAnswer[]> {
    const context = this.begin(ref);
    const { partition, time } = context;
    const applied = mutations.map((mutation) => applyMutation(partition, mutation, time));
    const lowestPutMs = applied.reduce((lowest, { putDueMs }) => Math.min(lowest, putDueMs ?? Infinity), Infinity);
    const headMs = partition.due.earliestMs();
    // A head below was there before and has been told of; one above is what a later mutation of this call left.
    if (headMs !== null && headMs >= lowestPutMs) this.signals.publish(announceLowered(context, headMs));
    const replicas = durability === undefined ? {} : { replicas: 0 };
    return applied.map(({ result }) => ({ ok: true, result: { ...result, ...replicas } }));
  }

  async turn(request: TurnRequest): Promise<TurnReply> {
    const { reply, signals } = applyTurn(this.begin(request.ref), request);
    this.signals.publish(signals);
    return reply;
  }

  async peek({ holder, lanes }: PeekRequest): Promise<readonly PeekReply[]> {
    this.assertOpen();
    return lanes.map((ref) => this.peekLane(ref, holder));
  }

  async get(ref: PartitionRef, id: string): Promise<TaskRecord | null> {
    const { partition, nowMs } = this.begin(ref);
    return readTask(partition, id, nowMs);
  }

  async list(ref: PartitionRef, request: ListRequest): Promise<readonly TaskRecord[]> {
    return listTasks(this.begin(ref).partition, request);
  }

  async stats(ref: PartitionRef): Promise<PartitionStats> {
    const { partition, time } = this.begin(ref);
    return countTasks(partition, time);
  }

  async setPaused(ref: PartitionRef, paused: boolean): Promise<void> {
    const context = this.begin(ref);
    context.partition.paused = paused;
    // What fell due during the pause concerns the holder as if it had been scheduled just now.
    if (!paused) this.signals.publish(announceLowered(context, context.partition.headMs()));
  }

  async trim(ref: PartitionRef, limits: TrimLimits): Promise<number> {
    const { partition, nowMs } = this.begin(ref);
    return trimAll(partition, limits, nowMs);
  }

  private peekLane(ref: PartitionRef, holder: string): PeekReply {
    const context = this.begin(ref);
    const { partition, time } = context;
    const armed = renewArm(context, holder);
    if (armed) this.signals.publish([{ kind: 'beat', ref, holder }]);
    return {
      ref,
      nowUs: time.nowUs,
      nextAtMs: partition.nextAtMs(),
      paused: partition.paused,
      armed,
      epoch: partition.fence === null ? 'absent' : 'present',
      lastFence: partition.fence ?? 0,
    };
  }

  /** Begins a call on one partition: the instant it happens at, and what it works upon. */
  private begin(ref: PartitionRef): TurnContext {
    const time = this.beginCall();
    return { ref, partition: this.partitionAt(ref), time, nowMs: time.nowMs, armHoldMs: this.armHoldMs };
  }

  /** Begins a call: the instant it happens at. */
  private beginCall(): StoreTime {
    this.assertOpen();
    return readStoreTime(this.clock);
  }

  private partitionAt(ref: PartitionRef): MemoryPartition {
    const name = partitionName(ref);
    const existing = this.partitions.get(name);
    if (existing !== undefined) return existing;
    const created = new MemoryPartition();
    this.partitions.set(name, created);
    return created;
  }

  private assertOpen(): void {
    if (this.closed) throw new QueueClosedError();
  }
}

function assertSame(field: string, stored: number, given: number): void {
  if (stored === given) return;
  throw new ConfigurationError(field, `the store has ${stored}, this process was given ${given}`);
}
