import { setImmediate } from 'node:timers';
import type { PartitionRef } from '../core/partition.js';
import type { Clock } from '../core/clock.js';
import { isStoreError, type StoreError, StoreRejectedError, StoreUnavailableError } from '../core/errors.js';
import type { Durability, Mutation, MutationAnswer, MutationResult } from '../ports/mutation.js';
import type { TaskStore } from '../ports/task-store.js';
import { FifoQueue } from './fifo-queue.js';

/** Two calls under way keep both sides busy: with one, the store waits for this process and this process for the store. */
const MAX_CALLS_IN_FLIGHT = 2;

/** Longer calls would keep the store waiting for the end of the first, and this process for the answer to the last. */
const MAX_MUTATIONS_PER_CALL = 250;

/** Fewer mutations than this are not worth a second call. */
const MIN_SPLIT = 16;

/** What a mutation buffer is made of. */
export interface MutationBufferParts {
  readonly store: TaskStore;
  readonly ref: PartitionRef;
  readonly clock: Clock;
  /** Time limit of a store call; what has waited longer when a call fails is not sent any more. */
  readonly timeoutMs: number;
  /** Makes the type ready before anything is sent, or null when it is. */
  readonly prepare: () => Promise<void> | null;
  /** Told how each store call ended. */
  readonly onCall: (error: StoreError | null) => void;
  /** Told of each mutation that the store has answered, before its caller is. */
  readonly onApplied?: (mutation: Mutation, result: MutationResult) => void;
}

/** Who is told what became of a mutation; several mutations may have one, which tells them apart by their index. */
export interface MutationCaller {
  resolve(result: MutationResult, index: number): void;
  reject(error: unknown, index: number): void;
}

/** A mutation that is handed in. */
export interface Submission {
  readonly mutation: Mutation;
  readonly durability: Durability | undefined;
}

interface Waiting extends Submission {
  readonly sinceMs: number;
  readonly caller: MutationCaller;
  readonly index: number;
}

/**
 * Sends the mutations of one partition in the order of their calls, those of one tick in one store call.
 *
 * A mutation whose task id is under way in an unanswered call waits for that answer, and those behind it with it: so no
 * resend and no lost answer can swap two mutations of one task.
 */
export class MutationBuffer {
  private readonly waiting = new FifoQueue<Waiting>();
  private readonly idsInFlight = new Set<string>();
  private callsInFlight = 0;
  private flushScheduled = false;
  private idle: (() => void)[] = [];

  constructor(private readonly parts: MutationBufferParts) {}

  /** Adds a mutation, and resolves with what it did. Rejects with an error object of its own. */
  submit(mutation: Mutation, durability?: Durability): Promise<MutationResult> {
    return new Promise((resolve, reject) => this.add({ mutation, durability }, { resolve, reject }, 0));
  }

  /**
   * Adds one of several mutations of one caller.
   *
   * @param index by which the caller knows it.
   */
  add({ mutation, durability }: Submission, caller: MutationCaller, index: number): void {
    this.waiting.push({ mutation, durability, sinceMs: this.parts.clock.monotonicMs(), caller, index });
    this.scheduleFlush();
  }

  /** Resolves when everything that was submitted has been answered. */
  drained(): Promise<void> {
    if (this.waiting.length === 0 && this.callsInFlight === 0) return Promise.resolve();
    return new Promise((resolve) => this.idle.push(resolve));
  }

  private scheduleFlush(): void {
    if (this.flushScheduled || this.callsInFlight >= MAX_CALLS_IN_FLIGHT) return;
    this.flushScheduled = true;
    setImmediate(() => void this.prepareAndFlush());
  }

  private async prepareAndFlush(): Promise<void> {
    try {
      await this.parts.prepare();
    } catch (error) {
      this.rejectWaiting(error, () => true);
    }
    this.flushScheduled = false;
    this.flush();
    this.tellIdle();
  }

  private flush(): void {
    while (this.callsInFlight < MAX_CALLS_IN_FLIGHT && this.waiting.length > 0) {
      const batch = this.takeBatch();
      if (batch.length === 0) return;
      void this.send(batch);
    }
  }

  private takeBatch(): readonly Waiting[] {
    const { waiting } = this;
    const share = waiting.length < MIN_SPLIT ? 1 : MAX_CALLS_IN_FLIGHT - this.callsInFlight;
    const limit = Math.min(Math.ceil(waiting.length / share), MAX_MUTATIONS_PER_CALL);
    const durability = waiting.peek()?.durability;
    let count = 0;
    while (count < limit && this.mayTravel(waiting.peek(count), durability)) count++;
    const batch = waiting.take(count);
    for (const { mutation } of batch) this.idsInFlight.add(mutation.id);
    return batch;
  }

  /** Whether a mutation can go along in a call of this durability. */
  private mayTravel(waiting: Waiting | undefined, durability: Durability | undefined): boolean {
    if (waiting === undefined || this.idsInFlight.has(waiting.mutation.id)) return false;
    if (waiting.durability === durability) return true;
    return (
      waiting.durability?.replicas === durability?.replicas && waiting.durability?.timeoutMs === durability?.timeoutMs
    );
  }

  private async send(batch: readonly Waiting[]): Promise<void> {
    this.callsInFlight++;
    try {
      this.deliver(
        batch,
        await this.parts.store.mutate(
          this.parts.ref,
          batch.map(({ mutation }) => mutation),
          { durability: batch[0]?.durability },
        ),
      );
    } catch (error) {
      for (const { caller, index } of batch) caller.reject(error, index);
    } finally {
      this.callsInFlight--;
      for (const { mutation } of batch) this.idsInFlight.delete(mutation.id);
      this.afterCall();
    }
  }

  private deliver(batch: readonly Waiting[], answers: readonly MutationAnswer[]): void {
    let failure: StoreError | null = null;
    batch.forEach(({ mutation, caller, index }, position) => {
      const answer = answers[position];
      if (answer === undefined) caller.reject(unanswered(), index);
      else if (!answer.ok) caller.reject(ownCopy((failure = answer.error)), index);
      else {
        this.parts.onApplied?.(mutation, answer.result);
        caller.resolve(answer.result, index);
      }
    });
    this.parts.onCall(failure);
    if (failure === null) return;
    const latestMs = this.parts.clock.monotonicMs() - this.parts.timeoutMs;
    this.rejectWaiting(failure, ({ sinceMs }) => sinceMs <= latestMs);
  }

  private rejectWaiting(cause: unknown, isMeant: (waiting: Waiting) => boolean): void {
    for (const { caller, index } of this.waiting.remove(isMeant)) {
      caller.reject(isStoreError(cause) ? notSent(cause) : cause, index);
    }
  }

  private afterCall(): void {
    if (this.waiting.length > 0) this.scheduleFlush();
    this.tellIdle();
  }

  private tellIdle(): void {
    if (this.waiting.length > 0 || this.callsInFlight > 0) return;
    const { idle } = this;
    this.idle = [];
    for (const resolve of idle) resolve();
  }
}

/** Callers of one failed call must not share an error object: one may add to it, or throw it on. */
function ownCopy(error: StoreError): StoreError {
  if (error instanceof StoreRejectedError) return new StoreRejectedError(error.reason, error.message, { cause: error });
  return new StoreUnavailableError(error.outcome, error.message, { cause: error });
}

function unanswered(): StoreUnavailableError {
  return new StoreUnavailableError('unknown', 'The store gave no answer to this call.');
}

function notSent(cause: StoreError): StoreError {
  return new StoreUnavailableError('not_sent', `Not sent, because the store is away: ${cause.message}`, { cause });
}
