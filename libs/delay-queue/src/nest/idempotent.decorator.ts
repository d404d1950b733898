import { ConfigurationError } from '../core/errors.js';
import type { IdempotentOptions } from '../options/idempotent-options.js';
import type { DelayedTask } from '../task/delayed-task.js';
import type { PayloadOf, TaskType } from '../task/delayed-tasks.js';
import type { MethodSite } from './handler-metadata.js';
import { markIdempotent, readIdempotent } from './idempotent-metadata.js';

/** Decorates methods of a class. */
export type IdempotentDecorator = (target: object, key: string | symbol, descriptor: PropertyDescriptor) => void;

/**
 * Lets a handler of tasks do its work once under a key, as far as marks in the queue's store can see to that.
 *
 * The handler is not called when the work was done before; the task is then complete, and the event is `skipped`. While
 * somebody else is at it, the task waits. Work that failed, or whose process crashed, is tried again: a crash *between*
 * the effect of the work and its mark means that the work happens twice, which no mark outside the effect can prevent.
 *
 * Without a `key` the mark is the task's own, and costs one call of the store before the handler. With a `key` it is shared
 * by all tasks and by `IdempotencyService.once`.
 *
 * It stands on a method that has `@OnDelayedTask`, in any order.
 *
 * @throws ConfigurationError when it stands on something else than an instance method, or twice on one; options are
 * checked at boot.
 * @example
 * @OnDelayedTask('charge')
 * @Idempotent({ key: (payload: { orderId: string }) => `charge:${payload.orderId}`, ttl: '7d', keepResult: true })
 * async charge({ orderId }: { orderId: string }) {
 *   return this.payments.charge(orderId);
 * }
 */
export function Idempotent<
  Payload = PayloadOf<TaskType>,
  Task extends Pick<DelayedTask, 'id' | 'life'> = DelayedTask<string>,
>(options: IdempotentOptions<Payload, Task> = {}): IdempotentDecorator {
  return (target, key, descriptor) => {
    const site = siteOf(target, key, (descriptor as PropertyDescriptor | undefined)?.value);
    if (readIdempotent(site) !== undefined) throw misplaced(target, key, 'has @Idempotent twice');
    markIdempotent(site, options);
  };
}

function siteOf(target: object, key: string | symbol, method: unknown): MethodSite {
  if (typeof target === 'function') throw misplaced(target, key, 'is static; a handler is an instance method');
  if (typeof method !== 'function') throw misplaced(target, key, 'is not a method; @Idempotent stands on methods only');
  if (typeof key === 'symbol') throw misplaced(target, key, 'must have a text for a name, not a symbol');
  return { prototype: target, methodName: key, method };
}

function misplaced(target: object, key: string | symbol, problem: string): ConfigurationError {
  const className = typeof target === 'function' ? target.name : target.constructor.name;
  return new ConfigurationError(`${className}.${String(key)}`, problem);
}
