import type { QueueOptions } from 'nestjs-delay-queue';

/** How a worker reaches its server. */
export type ServerAddress =
  | { readonly kind: 'single'; readonly url: string }
  | { readonly kind: 'sentinel'; readonly sentinelPorts: readonly number[]; readonly name: string }
  | { readonly kind: 'cluster'; readonly ports: readonly number[] };

/** The ways in which the handler of these tests can be idempotent. */
export type Idempotency = 'own' | 'key';

/** The idempotency key of a task of these tests. */
export function keyOfTask({ id }: { readonly id: string }): string {
  return `effect of ${id}`;
}

/** What a worker is started with, as JSON in `FAULT_WORKER`. */
export interface WorkerSetup {
  readonly address: ServerAddress;
  readonly queue: QueueOptions;
  /** Types that it has a handler for. */
  readonly types: readonly string[];
  /** Whether its handler is idempotent: by the task's own mark, or under the key that {@link keyOfTask} makes. */
  readonly idempotent?: Idempotency | undefined;
  /** File that its record is appended to. */
  readonly recordFile: string;
  /** Folder in which each effect is one file. */
  readonly effectFolder: string;
}

/** What a test tells a worker. */
export type WorkerCommand =
  /** Close the application and end. */
  | { readonly kind: 'stop' }
  /** Let the held handlers of a task go on. */
  | { readonly kind: 'let go'; readonly id: string }
  /** Schedule tasks, one call each. */
  | { readonly kind: 'schedule'; readonly type: string; readonly ids: readonly string[]; readonly delayMs: number };

/** What a worker tells its test. */
export type WorkerReport =
  /** Its handlers run; `holder` is the name under which it holds arms. */
  | { readonly kind: 'ready'; readonly holder: string }
  | { readonly kind: 'boot failed'; readonly error: string }
  | { readonly kind: 'scheduled'; readonly ids: readonly string[] }
  /** The application is closed; what is open now keeps the process alive. */
  | { readonly kind: 'closed'; readonly tookMs: number };
