import type { QueueOptions } from '../options/queue-options.js';
import type { TaskTracer } from '../ports/task-tracer.js';
import type { RedisConnectionOption } from '../redis/redis-connection.js';
import type { ModuleLedgerOptions } from './module-ledger-options.js';

/**
 * Options of `DelayQueueModule`. Exactly one of `connection` and `embedded` says where the tasks are kept.
 *
 * @example
 * DelayQueueModule.forRoot({ connection: process.env.REDIS_URL, prefix: 'shop' })
 */
export interface DelayQueueModuleOptions extends QueueOptions {
  /**
   * Redis: a URL, options of ioredis, or a client of yours, which is duplicated and never closed.
   *
   * `undefined` is an error at boot, because the variable behind it is probably not set.
   */
  readonly connection?: RedisConnectionOption | undefined;
  /**
   * `true` keeps the tasks in the memory of this process: nothing survives a restart and no other process sees them.
   *
   * @default false
   */
  readonly embedded?: boolean | undefined;
  /**
   * `false` makes this process a mere producer: it schedules, and runs no handler, decorated ones included.
   *
   * @default true
   */
  readonly consume?: boolean | undefined;
  /**
   * `false` waits with running handlers until `DelayQueueRunner.start()` is called; scheduling works from the beginning.
   *
   * @default true
   */
  readonly autoStart?: boolean | undefined;
  /**
   * Keeps tasks that are scheduled in a transaction in the application's database as well: they are neither lost with the
   * store nor, when their handlers complete them in a transaction, done twice.
   *
   * @default none
   */
  readonly ledger?: ModuleLedgerOptions | undefined;
  /**
   * Follows tasks from their scheduling to their handlers: an `OpenTelemetryTracer` of `nestjs-delay-queue/opentelemetry`,
   * or one of your own.
   *
   * @default none
   */
  readonly tracing?: TaskTracer | undefined;
}
