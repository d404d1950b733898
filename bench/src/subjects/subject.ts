import type { BenchPayload, BenchTask } from '../bench-task.js';

/** All that is measured, in the order in which each round goes through it. */
export const SUBJECT_NAMES = ['nestjs-delay-queue', 'bullmq', 'bee-queue', 'bull', 'raw', 'ledger', 'pg-boss'] as const;

/** Name of a subject in reports. */
export type SubjectName = (typeof SUBJECT_NAMES)[number];

/** The library's default; the other subjects are told to have as many places. */
export const DEFAULT_CONCURRENCY = 10;

/** How a process runs what has become due. */
export interface ConsumeOptions {
  /** Handlers that may run at once; `null` for {@link DEFAULT_CONCURRENCY}, which the library is not told. */
  readonly concurrency: number | null;
  /** The handler. */
  run(payload: BenchPayload): Promise<void>;
}

/** A database for a subject that uses one. */
export interface DatabaseOptions {
  readonly url: string;
  /** Tasks that the ledger loads again in a second; `null` for its default. */
  readonly rebuildRate: number | null;
}

/** How a process uses a queue. */
export interface OpenOptions {
  readonly redisUrl: string;
  /** Task types (queues, elsewhere) that the process consumes; tasks are scheduled for the first. At least one. */
  readonly types: readonly string[];
  /** `null` for a process that only schedules. */
  readonly consume: ConsumeOptions | null;
  /** `null` in rows without one. */
  readonly database: DatabaseOptions | null;
}

/** An open queue in one process. Every method rejects when the subject refuses. */
export interface SubjectSession {
  /** Schedules one task, as a user would in a request. */
  schedule(task: BenchTask): Promise<void>;
  /** Writes an order and schedules its task, in one transaction where the subject can; in rows with a database. */
  scheduleWithOrder?(this: void, task: BenchTask): Promise<void>;
  /** Schedules many in the subject's call for many. */
  scheduleMany(tasks: readonly BenchTask[]): Promise<void>;
  /** Removes a waiting task. */
  cancel(id: string): Promise<void>;
  /** Moves a waiting task, known by its id alone. */
  reschedule(id: string, dueAtMs: number): Promise<void>;
  /** Counts the tasks that wait for their due time. */
  countWaiting(): Promise<number>;
  /** Lets handlers end and closes all connections. */
  close(): Promise<void>;
}

/** The first of some types: the one that tasks are scheduled for. */
export function firstType(types: readonly string[]): string {
  const [type] = types;
  if (type === undefined) throw new RangeError('at least one task type is needed');
  return type;
}

/** Ends the process: an error that a queue reports beside its calls makes a measurement worthless. */
export function failOnError(error: unknown): never {
  throw new Error('the queue reported an error', { cause: error });
}
