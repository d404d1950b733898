import { createdAtOfLife } from '../core/ids.js';
import type { TaskRecord } from '../ports/task-record.js';
import type { PayloadInputOf, TaskType } from '../task/delayed-tasks.js';
import { decodeEnvelope, type TaskEnvelope, UnreadableEnvelopeError } from '../task/envelope.js';
import type { TaskState } from '../task/task-state.js';

/** Everything that is known of one task. Fields that its state does not have are null. */
export interface TaskView<Type extends string = TaskType> {
  readonly type: Type;
  readonly id: string;
  readonly state: TaskState;
  /**
   * As it is stored: for an older {@link version} it has the older shape. `undefined` for a done task, and for one that
   * cannot be read.
   */
  readonly payload: PayloadInputOf<Type> | undefined;
  /** Version of the stored payload. */
  readonly version: number | null;
  /** When it was scheduled, by the producer's clock. */
  readonly createdAt: Date | null;
  /** When it is due, or the running or last delivery was. */
  readonly dueAt: Date | null;
  /** How often it was handed to a handler. */
  readonly deliveries: number;
  /** How often a handler has failed since it was scheduled or redriven. */
  readonly failures: number;
  /** How many leases in a row ended without an answer. */
  readonly lostLeases: number;
  /** How often it was brought back from the dead letters. */
  readonly redrives: number;
  /** Its own setting, where the producer gave one. */
  readonly maxRetries: number | null;
  /** End of a running task's lease. */
  readonly leaseUntil: Date | null;
  /** When a dead task died. */
  readonly diedAt: Date | null;
  /** Why a dead task died. */
  readonly reason: string | null;
  /** The last error of a dead task; may be empty. */
  readonly error: string | null;
  /** Until when the id of a done task stays taken. */
  readonly doneUntil: Date | null;
  /** Why the stored task cannot be read, if it cannot: written by a newer version, or damaged. */
  readonly unreadable: string | null;
}

/** Turns what the store knows into what a user sees. */
export function toTaskView<Type extends string>(type: Type, record: TaskRecord): TaskView<Type> {
  const { envelope, unreadable } = readEnvelope(record.envelope);
  return {
    type,
    id: record.id,
    state: record.state,
    payload: envelope?.payload as PayloadInputOf<Type> | undefined,
    version: envelope?.version ?? null,
    createdAt: envelope === null ? null : new Date(createdAtOfLife(envelope.life)),
    dueAt: toDate(record.dueAtMs),
    deliveries: record.deliveries,
    failures: record.failures,
    lostLeases: record.lostLeases,
    redrives: record.redrives,
    maxRetries: envelope?.overrides.maxRetries ?? null,
    leaseUntil: toDate(record.leaseUntilMs),
    diedAt: toDate(record.deadAtMs),
    reason: record.reason,
    error: record.error,
    doneUntil: toDate(record.doneUntilMs),
    unreadable,
  };
}

/** A time of the store as a Date. */
export function toDate(timeMs: number | null): Date | null {
  return timeMs === null ? null : new Date(timeMs);
}

interface ReadEnvelope {
  readonly envelope: TaskEnvelope | null;
  readonly unreadable: string | null;
}

function readEnvelope(text: string | null): ReadEnvelope {
  if (text === null) return { envelope: null, unreadable: null };
  try {
    return { envelope: decodeEnvelope(text), unreadable: null };
  } catch (error) {
    if (!(error instanceof UnreadableEnvelopeError)) throw error;
    return { envelope: null, unreadable: error.message };
  }
}
