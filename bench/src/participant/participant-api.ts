import type { RunReport } from '../run-log.js';
import type { DatabaseOptions, SubjectName } from '../subjects/subject.js';

/** Which queue a process opens, and what for. */
export interface OpenRequest {
  readonly subject: SubjectName;
  readonly redisUrl: string;
  readonly types: readonly string[];
  /** `null` for a process that only schedules. */
  readonly consume: ConsumeRequest | null;
  /** `null` in rows without one. */
  readonly database: DatabaseOptions | null;
  /** Folder for a CPU profile of the process from then on; `undefined` for none. */
  readonly profileFolder: string | undefined;
}

/** How a process consumes. */
export interface ConsumeRequest {
  /** `null` for the library's default. */
  readonly concurrency: number | null;
  /** Numbers of tasks are below this. */
  readonly tasks: number;
  /** Tasks with a lower number only warm up. @default 0 */
  readonly measuredFrom?: number;
  /** Handlers never end. @default false */
  readonly hang?: boolean;
}

/** Some tasks, by their numbers. */
export interface TaskRange {
  readonly first: number;
  readonly count: number;
}

/** When tasks are due: all at one time, or spread evenly from then on. */
export interface DueTimes {
  readonly dueAtMs: number;
  /** @default 0 */
  readonly spreadMs?: number;
}

/** Tasks that are scheduled, or moved, one by one. */
export interface SingleLoad extends TaskRange, DueTimes {
  /** Callers that wait for their own call only. */
  readonly callers: number;
}

/** Tasks that are scheduled in calls for many, one after the other. */
export interface BulkLoad extends TaskRange, DueTimes {
  readonly perCall: number;
}

/** Tasks that are scheduled one by one at a steady rate. */
export interface PacedLoad extends TaskRange {
  readonly perSecond: number;
  readonly delayMs: number;
}

/** Tasks that are cancelled one by one. */
export interface CancelLoad extends TaskRange {
  readonly callers: number;
}

/** What a process has taken of its machine. */
export interface ProcessUsage {
  /** Processor time since its start, in microseconds. */
  readonly cpuUs: number;
  /** Resident memory, in bytes. */
  readonly memoryBytes: number;
}

/** What a process of a measurement can be asked to do; the loads answer the milliseconds that they took. */
export interface ParticipantApi {
  open(request: OpenRequest): Promise<void>;
  schedule(load: SingleLoad): Promise<number>;
  scheduleWithOrder(load: SingleLoad): Promise<number>;
  scheduleMany(load: BulkLoad): Promise<number>;
  schedulePaced(load: PacedLoad): Promise<number>;
  cancel(load: CancelLoad): Promise<number>;
  reschedule(load: SingleLoad): Promise<number>;
  countWaiting(): Promise<number>;
  /** Runs so far. */
  progress(): Promise<number>;
  report(): Promise<RunReport>;
  usage(): Promise<ProcessUsage>;
  close(): Promise<void>;
}

/** A call to a participant. */
export interface ParticipantCall {
  readonly call: number;
  readonly method: keyof ParticipantApi;
  readonly args: readonly unknown[];
}

/** The answer to a call. */
export type ParticipantAnswer =
  { readonly call: number; readonly result: unknown } | { readonly call: number; readonly error: string };
