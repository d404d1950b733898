import { ConfigurationError } from '../core/errors.js';
import type { RedisConnectionOption } from '../redis/redis-connection.js';
import type { DelayQueueModuleOptions } from './delay-queue-module-options.js';

/** Where the tasks are kept. */
export type Storage =
  { readonly kind: 'redis'; readonly connection: RedisConnectionOption } | { readonly kind: 'embedded' };

/**
 * Reads from the options of the module where the tasks are kept.
 *
 * @throws ConfigurationError naming the option.
 */
export function resolveStorage(options: DelayQueueModuleOptions): Storage {
  const { connection, embedded = false } = options;
  if (typeof embedded !== 'boolean') throw new ConfigurationError('embedded', `must be true or false`);
  const connected = isGiven(connection);
  if (connected && embedded) {
    throw new ConfigurationError('embedded', 'cannot be true beside a `connection`: tasks are kept in one place');
  }
  if (embedded) return { kind: 'embedded' };
  if (connected) return { kind: 'redis', connection };
  throw new ConfigurationError('connection', describeMissing(options));
}

/** An environment variable that is set to nothing is as forgotten as one that is not set. */
function isGiven(connection: RedisConnectionOption | null | undefined): connection is RedisConnectionOption {
  return connection !== undefined && connection !== null && connection !== '';
}

function describeMissing(options: DelayQueueModuleOptions): string {
  const advice =
    "set it to the URL of a Redis, such as 'redis://localhost:6379', or ask for `embedded: true` to keep the tasks in " +
    'the memory of this process, where nothing survives a restart';
  if (!Object.hasOwn(options, 'connection')) return `is required: ${advice}`;
  const missing = options.connection as '' | null | undefined;
  return `is ${missing === '' ? 'empty' : String(missing)}, so the environment variable behind it is probably not set: ${advice}`;
}
