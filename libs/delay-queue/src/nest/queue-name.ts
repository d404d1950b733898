import { ConfigurationError } from '../core/errors.js';
import { assertName } from '../core/ids.js';

/** Name of the queue that was registered without one. */
export const DEFAULT_QUEUE = 'default';

/**
 * Reads the `name` of a registration, which may be left out.
 *
 * @throws ConfigurationError when it is not 1 to 100 of `A-Z a-z 0-9 _ . -`.
 */
export function readQueueName(name: unknown): string {
  if (name === undefined) return DEFAULT_QUEUE;
  assertName(name, 'name');
  return name;
}

/** Says which queue an error of its set-up is about; that of the default queue, and any other error, stays as it is. */
export function withQueueName(error: unknown, name: string): unknown {
  if (name === DEFAULT_QUEUE || !(error instanceof ConfigurationError)) return error;
  const problem = error.message.slice(`${error.field}: `.length);
  return new ConfigurationError(`${name}.${error.field}`, problem, { cause: error });
}
