import { ConfigurationError } from '../core/errors.js';
import { QueueSettings } from '../options/queue-settings.js';
import type { RedisConnectionOption } from '../redis/redis-connection.js';
import type { DelayQueueModuleOptions } from './delay-queue-module-options.js';

/** Where the tasks are kept. */
export type Storage =
  { readonly kind: 'redis'; readonly connection: RedisConnectionOption } | { readonly kind: 'embedded' };

/** The options of the module, checked once for `forRoot` and `forRootAsync` alike. */
export interface ResolvedModuleOptions {
  readonly storage: Storage;
  readonly settings: QueueSettings;
}

/**
 * Checks the options of the module; leaves the caller's object as it is.
 *
 * @throws ConfigurationError naming the option.
 */
export function resolveModuleOptions(options: DelayQueueModuleOptions): ResolvedModuleOptions {
  if (typeof options !== 'object' || options === null) {
    throw new ConfigurationError('options', `must be an object, got ${options === null ? 'null' : typeof options}`);
  }
  const { connection: _connection, embedded: _embedded, ledger: _ledger, ...queueOptions } = options;
  return { storage: resolveStorage(options), settings: new QueueSettings(queueOptions) };
}

function resolveStorage(options: DelayQueueModuleOptions): Storage {
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
