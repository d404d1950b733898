import { isDeepStrictEqual } from 'node:util';
import { ConfigurationError } from '../core/errors.js';
import type { QueueInstance } from './queue-instances.js';

/**
 * Refuses two queues of an application that would keep their tasks under the same keys: they would be one queue, with two
 * sets of handlers of which either may get a task.
 *
 * It sees what can be seen of the options; two clients, or two functions that make clients, may still lead to one server.
 *
 * @throws ConfigurationError naming both.
 */
export function assertSeparateQueues(queue: QueueInstance, others: readonly QueueInstance[]): void {
  const twin = others.find((other) => other.name !== queue.name && keepsTasksInSamePlace(queue, other));
  if (twin === undefined) return;
  throw new ConfigurationError(
    'prefix',
    `the queues '${queue.name}' and '${twin.name}' have the same connection and the same prefix '${queue.prefix}', ` +
      'which makes them one queue: give one of them another prefix',
  );
}

function keepsTasksInSamePlace(one: QueueInstance, other: QueueInstance): boolean {
  if (one.prefix !== other.prefix) return false;
  // Each embedded store is a place of its own.
  if (one.storage.kind !== 'redis' || other.storage.kind !== 'redis') return false;
  const { connection } = one.storage;
  if (connection === other.storage.connection) return true;
  return (
    isPlain(connection) && isPlain(other.storage.connection) && isDeepStrictEqual(connection, other.storage.connection)
  );
}

/** Options, and not a client: an object whose class has no parent, whatever realm it comes from. */
function isPlain(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Reflect.getPrototypeOf(value);
  return prototype !== null && Reflect.getPrototypeOf(prototype) === null;
}
