import type { Clock } from '../core/clock.js';
import { MemoryTaskStore } from '../memory/memory-task-store.js';
import type { QueueLogger } from '../ports/queue-event.js';
import type { TaskStore } from '../ports/task-store.js';
import { RedisTaskStore } from '../redis/redis-task-store.js';
import { ConnectionErrorLog } from './connection-error-log.js';
import type { ResolvedModuleOptions } from './resolve-module-options.js';

/**
 * Makes the store that the options ask for; it connects when it is opened.
 *
 * @throws ConfigurationError when the connection cannot be used.
 */
export function createTaskStore(
  { storage, settings }: ResolvedModuleOptions,
  clock: Clock,
  logger: QueueLogger,
): TaskStore {
  switch (storage.kind) {
    case 'embedded':
      return new MemoryTaskStore({ clock });
    case 'redis': {
      const errors = new ConnectionErrorLog(clock, logger);
      return new RedisTaskStore({
        connection: storage.connection,
        prefix: settings.queue.prefix,
        callTimeoutMs: settings.queue.storeTimeoutMs,
        onConnectionError: (error) => errors.report(error),
      });
    }
    default:
      return storage satisfies never;
  }
}
