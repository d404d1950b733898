import type { Duration } from '../core/duration.js';
import type { PayloadOf, TaskType } from '../task/delayed-tasks.js';
import type { UpcastStep } from '../task/upcast-payload.js';
import type { PayloadSchema } from './payload-schema.js';

/** Waiting times between retries. */
export type BackoffOptions =
  | {
      readonly type: 'exponential';
      /** Wait after the first failure; doubled with each further one. @default '5s' */
      readonly base?: Duration;
      /** Longest wait; not below `base`. @default '1h' */
      readonly max?: Duration;
      /** Share of each wait that is taken off at random, 0 to 1. @default 0.2 */
      readonly jitter?: number;
    }
  | {
      readonly type: 'fixed';
      /** Wait after every failure. */
      readonly delay: Duration;
      /** Share of each wait that is taken off at random, 0 to 1. @default 0.2 */
      readonly jitter?: number;
    }
  | {
      readonly type: 'custom';
      /**
       * Returns the milliseconds to wait. When it throws, or returns something else than a finite, non-negative number,
       * the default back-off is used and a warning is logged.
       */
      readonly delay: (failures: number, error: unknown) => number;
      /** Longest wait. @default '1h' */
      readonly max?: Duration;
    };

/** How the handler of a type runs; set in the decorator, or in `forRoot({ types })`, which wins. */
export interface HandlerOptions {
  /** Most handlers of the type that run at once in this process, 1 to 1,000. @default 10 */
  readonly concurrency?: number;
  /**
   * Longest run of one handler: then its signal is aborted and the task retried. At most 24 days; `null` for no limit.
   *
   * @default null
   */
  readonly handlerTimeout?: Duration | null;
  /** Failures that are followed by another try; 0 means one attempt. @default 3 */
  readonly maxRetries?: number;
  /** Waits between tries: with the defaults a task that always fails is dead after about 35 s. @default exponential */
  readonly backoff?: BackoffOptions;
  /** Time after which a silent process loses a task to another; renewed while the handler runs. @default '30s' */
  readonly lease?: Duration;
  /** Leases lost in a row after which a task is taken for a killer of processes and buried. @default 5 */
  readonly maxLostLeases?: number;
  /** Run time after which a handler is reported as stuck. @default '10m' */
  readonly stuckAfter?: Duration;
  /**
   * What happens to a task whose payload has a version that this process cannot bring up to date, because it is newer or a
   * step is missing: `bury` makes it a dead letter, `wait` lets it wait for a process that can, looking again after 1 s,
   * 2 s, 4 s … at most a minute, with nothing counted.
   *
   * @default 'bury'
   */
  readonly onUnknownVersion?: 'bury' | 'wait';
}

/** What producers and consumers of a type must agree upon; set in `forRoot({ types })` or `forFeature({ types })`. */
export interface SharedTypeOptions<Payload = unknown> {
  /** Number of partitions, 1 to 256; must never change while tasks are waiting. @default 1 */
  readonly partitions?: number;
  /** How long the id of a completed task stays taken; 0 for not at all. @default 0 */
  readonly dedupeFor?: Duration;
  /** Largest payload, in bytes of JSON. @default 262144 (256 KiB) */
  readonly payloadLimit?: number;
  /** How long, and how many, dead letters are kept. */
  readonly deadLetters?: {
    /** @default '14d' */
    readonly keepFor?: Duration;
    /** @default 10000 */
    readonly max?: number;
  };
  /**
   * What payloads look like: a Standard Schema (zod, valibot, arktype …) or a class with decorators of class-validator.
   *
   * It is asked when a task is scheduled, and again before it runs. What is stored is the payload as it was given; the
   * handler gets what the schema makes of it.
   */
  readonly schema?: PayloadSchema<Payload>;
  /** Version of the payloads that this process writes, and that its handler takes; a positive integer. @default 1 */
  readonly version?: number;
  /**
   * Brings a payload to the next version; the key is the version it comes from. Steps are synchronous.
   *
   * @example
   * { version: 3, upcast: { 1: (old: { order: string }) => ({ orderId: old.order }), 2: addCurrency } }
   */
  readonly upcast?: { readonly [fromVersion: number]: UpcastStep };
}

/** All settings of one task type. */
export interface TaskTypeOptions<Payload = unknown> extends HandlerOptions, SharedTypeOptions<Payload> {}

/** Settings by task type; once `DelayedTasks` is filled in, other names are refused at compile time. */
export type TypesOptions = { readonly [Type in TaskType]?: TaskTypeOptions<PayloadOf<Type>> };

/** Settings of a queue that do not depend on where its tasks are kept. */
export interface QueueOptions {
  /** Begins every key; 1 to 100 of `A-Z a-z 0-9 _ . -`. @default 'delay-queue' */
  readonly prefix?: string;
  /** Settings by task type. */
  readonly types?: TypesOptions;
  /** Settings for the handlers of every type that says nothing else. */
  readonly defaults?: HandlerOptions;
  /** Time in which a stop is over, running handlers included; 2 s to 24 days. @default '25s' */
  readonly shutdownTimeout?: Duration;
  /** Time limit of one call of the store, 10 ms to 24 days. @default '5s' */
  readonly storeTimeout?: Duration;
}
