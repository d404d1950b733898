import type { QueueOptions, TaskTypeOptions } from 'nestjs-delay-queue';
import type { Idempotency } from '../worker/worker-protocol.js';
import type { Site } from './site.js';

/** What a scenario runs on. */
export interface ScenarioParts {
  readonly name: string;
  /** Starts the servers. @default a single one, without a disk */
  readonly site?: () => Promise<Site>;
  /** Settings of every type, over those of these tests. */
  readonly type?: TaskTypeOptions;
  /** Settings of the queue, over those of these tests. */
  readonly queue?: QueueOptions;
  /** @default one type */
  readonly types?: readonly string[];
  /** Makes the handlers idempotent. @default not at all */
  readonly idempotent?: Idempotency;
  /** @default 1 */
  readonly seed?: number;
  /** Path of the compiled worker. */
  readonly program: () => Promise<string>;
}

/** The type of scenarios that need only one. */
export const TYPE = 'task';

/** Short, so that scenarios are quick; a lease is lost only when a process is silent for two thirds of it. */
export const LEASE_MS = 1_500;

const TYPE_OPTIONS: TaskTypeOptions = {
  concurrency: 10,
  lease: LEASE_MS,
  maxRetries: 3,
  backoff: { type: 'fixed', delay: 100, jitter: 0 },
};

const QUEUE_OPTIONS: QueueOptions = { prefix: 'faults', shutdownTimeout: 5_000, storeTimeout: 2_000 };

/** The types of a scenario. */
export function typesOf({ types = [TYPE] }: ScenarioParts): readonly string[] {
  return types;
}

/** The settings with which workers and producer use the queue. */
export function queueOptionsOf(parts: ScenarioParts): QueueOptions {
  const type = { ...TYPE_OPTIONS, ...parts.type };
  return { ...QUEUE_OPTIONS, ...parts.queue, types: Object.fromEntries(typesOf(parts).map((name) => [name, type])) };
}
