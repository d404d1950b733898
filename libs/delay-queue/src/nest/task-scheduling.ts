import type { Clock } from '../core/clock.js';
import { InvalidArgumentError } from '../core/errors.js';
import { assertTaskType, newLife } from '../core/ids.js';
import type { QueueSettings } from '../options/queue-settings.js';
import type { MutationResult } from '../ports/mutation.js';
import type { DelayQueueRuntime } from '../runtime/delay-queue-runtime.js';
import type { Submission } from '../runtime/mutation-buffer.js';
import type { GuardedScheduling } from '../runtime/tracing/guarded-scheduling.js';
import { encodeEnvelope } from '../task/envelope.js';
import { itemError } from './item-error.js';
import type { LedgerScheduling } from './ledger-scheduling.js';
import { narrowStatus } from './narrow-status.js';
import { PartialScheduleError } from './partial-schedule-error.js';
import { type ReadScheduleOptions, readScheduleItem, readScheduleOptions } from './read-schedule-options.js';
import type { ScheduleItem, ScheduleResult } from './schedule-options.js';
import type { StagedResult } from './staged-result.js';
import { takeTransaction } from './take-transaction.js';
import { toDate } from './task-view.js';
import { type WrittenPayload, writePayload } from './write-payload.js';

/** What scheduling needs. */
export interface TaskSchedulingParts {
  readonly runtime: DelayQueueRuntime;
  readonly settings: QueueSettings;
  readonly clock: Clock;
  readonly ledger: LedgerScheduling;
  /** Of the call whose tasks are scheduled, or null. */
  readonly trace: GuardedScheduling | null;
}

/** Checks and writes new tasks: those of one call, when it is traced, else those of all. */
export class TaskScheduling {
  constructor(private readonly parts: TaskSchedulingParts) {}

  /** See `DelayQueueProducer.schedule`. */
  async one(type: string, payload: unknown, options: unknown): Promise<ScheduleResult | StagedResult> {
    const { runtime, settings, clock, ledger } = this.parts;
    assertTaskType(type);
    const { tx, rest } = takeTransaction(options);
    const read = readScheduleOptions(rest, clock.nowMs());
    const written = writePayload(payload, read.headers, settings.forType(type));
    if (tx !== null) {
      const envelopeFor = (row: string): string => this.envelope(read, written, row);
      await written.checked;
      return ledger.stage({ type, ...read, tx, envelopeFor });
    }
    const { mutation, durability, checked: after } = this.prepare(read, written);
    return toScheduleResult(read.id, await runtime.submit(type, mutation, { durability, after }));
  }

  /** See `DelayQueueProducer.scheduleMany`. */
  async many(type: string, items: readonly ScheduleItem<unknown>[]): Promise<readonly ScheduleResult[]> {
    assertTaskType(type);
    if (!Array.isArray(items)) throw new InvalidArgumentError('items', 'must be an array');
    // A copy without holes, which `map` would pass over.
    const submissions = [...items].map((item, index) => this.readItem(type, item, index));
    const checks = submissions.map(({ checked }) => checked).filter((checked) => checked !== null);
    const after = checks.length === 0 ? null : Promise.all(checks).then(() => undefined);
    const outcomes = await this.parts.runtime.submitMany(type, submissions, after);
    const results = outcomes.map((outcome, index) =>
      outcome instanceof Error ? outcome : toScheduleResult(submissions[index]?.mutation.id ?? '', outcome),
    );
    if (outcomes.some((outcome) => outcome instanceof Error)) throw new PartialScheduleError(results);
    return results as ScheduleResult[];
  }

  private readItem(type: string, item: ScheduleItem<unknown>, index: number): PreparedTask {
    try {
      const read = readScheduleItem(item, this.parts.clock.nowMs());
      const task = this.prepare(read, writePayload(item.payload, read.headers, this.parts.settings.forType(type)));
      return task.checked === null ? task : { ...task, checked: ofItem(task.checked, index) };
    } catch (error) {
      throw itemError(error, index);
    }
  }

  private prepare(read: ReadScheduleOptions, written: WrittenPayload): PreparedTask {
    const { id, due, onDuplicate, durability } = read;
    const envelope = this.envelope(read, written, null);
    return { mutation: { kind: 'schedule', id, due, envelope, onDuplicate }, durability, checked: written.checked };
  }

  private envelope(
    read: ReadScheduleOptions,
    { json: payloadJson, version }: WrittenPayload,
    ledgerRow: string | null,
  ): string {
    const { clock, trace } = this.parts;
    const headers = trace === null ? read.headers : trace.headersFor(read);
    const { overrides } = read;
    return encodeEnvelope({ payloadJson, life: newLife(clock.nowMs()), version, overrides, headers, ledgerRow });
  }
}

/** A new task, and what its schema will have said about its payload; null when that is known already. */
interface PreparedTask extends Submission {
  readonly checked: Promise<void> | null;
}

function ofItem(checked: Promise<void>, index: number): Promise<void> {
  const ofThis = checked.catch((error: unknown) => {
    throw itemError(error, index);
  });
  // Nobody waits for it when another item of the call is refused at once.
  ofThis.catch(() => undefined);
  return ofThis;
}

function toScheduleResult(id: string, result: MutationResult): ScheduleResult {
  const status = narrowStatus(result, ['created', 'duplicate', 'replaced']);
  if (result.state === 'none') throw new Error(`The store answered '${status}' and has no task.`);
  const { state, dueAtMs, replicas } = result;
  const dueAt = toDate(dueAtMs);
  return replicas === undefined ? { id, status, state, dueAt } : { id, status, state, dueAt, replicas };
}
