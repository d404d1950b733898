import type { Clock } from '../core/clock.js';
import { MemoryTaskStore } from '../memory/memory-task-store.js';
import type { ResolvedQueueOptions } from '../options/resolved-options.js';
import type { QueueLogger } from '../ports/queue-event.js';
import type { TaskStore } from '../ports/task-store.js';
import { RedisTaskStore } from '../redis/redis-task-store.js';
import { ConnectionErrorLog } from './connection-error-log.js';
import type { Storage } from './resolve-storage.js';

/** What a store is made of. */
export interface TaskStoreParts {
  readonly storage: Storage;
  readonly options: ResolvedQueueOptions;
  readonly clock: Clock;
  readonly logger: QueueLogger;
}

/**
 * Makes the store that the options ask for; it connects when it is opened.
 *
 * @throws ConfigurationError when the connection cannot be used.
 */
export function createTaskStore({ storage, options, clock, logger }: TaskStoreParts): TaskStore {
  switch (storage.kind) {
    case 'embedded':
      return new MemoryTaskStore({ clock });
    case 'redis': {
      const errors = new ConnectionErrorLog(clock, logger);
      return new RedisTaskStore({
        connection: storage.connection,
        prefix: options.prefix,
        callTimeoutMs: options.storeTimeoutMs,
        onConnectionError: (error) => errors.report(error),
      });
    }
    default:
      return storage satisfies never;
  }
}
