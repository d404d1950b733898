import { ConfigurationError } from '../core/errors.js';
import type { HandlerOptions } from '../options/queue-options.js';
import type { DelayedTask } from '../task/delayed-task.js';
import type { PayloadOf, TaskType } from '../task/delayed-tasks.js';
import { addDeclaration, type HandlerDeclaration } from './handler-metadata.js';
import { DEFAULT_QUEUE } from './queue-name.js';

/** What may be said of a handler where it stands. */
export interface OnDelayedTaskOptions extends HandlerOptions {
  /** Name of the queue whose tasks it runs, where the application has several. @default 'default' */
  readonly queue?: string | undefined;
}

/** The payload that a handler of the type must accept; while payloads are `unknown`, its parameter may be anything. */
type AcceptedPayload<Type extends string> = unknown extends PayloadOf<Type> ? never : PayloadOf<Type>;

/** A method that can handle tasks of the type: it takes the payload, then the task, both optional. */
export type DelayedTaskMethod<Type extends string> = (
  payload: AcceptedPayload<Type>,
  task: DelayedTask<Type>,
) => unknown;

/** Decorates methods that fit the type, and refuses others at compile time. */
export type DelayedTaskDecorator<Type extends string> = <Method extends DelayedTaskMethod<Type>>(
  target: object,
  key: string | symbol,
  descriptor: TypedPropertyDescriptor<Method>,
) => void;

/** Says that every parameter of a handler carries a decorator. */
export interface DecoratedParameters {
  /** The types of the parameters are then not compared with the payload's, since pipes may make anything of it. */
  readonly parameters: 'decorated';
}

/**
 * Makes a method of a provider or controller the handler of a task type.
 *
 * When the method returns (or its promise resolves), the task is done. When it throws, the task is tried again after a
 * back-off. Returning a `TaskOutcome` says something else. A type has one handler in a queue of the application; a method may
 * handle several types. A subclass inherits handlers; a method that overrides one needs a decorator of its own.
 *
 * @param type name of the task type, 1 to 100 of `A-Z a-z 0-9 _ . -`; checked at boot.
 * @param options how the handler runs; `forRoot({ types })` wins over them.
 * @throws ConfigurationError when it stands on something else than an instance method.
 * @example
 * @OnDelayedTask('order_timeout', { concurrency: 20, handlerTimeout: '30s' })
 * async cancelUnpaid(payload: { orderId: string }, task: DelayedTask<'order_timeout'>) {
 *   await this.orders.cancelIfUnpaid(payload.orderId, task.signal);
 * }
 */
export function OnDelayedTask<Type extends TaskType>(
  type: Type,
  options?: OnDelayedTaskOptions,
): DelayedTaskDecorator<Type>;
export function OnDelayedTask(type: TaskType, options: OnDelayedTaskOptions & DecoratedParameters): MethodDecorator;
export function OnDelayedTask(type: string, options: OnDelayedTaskOptions & Partial<DecoratedParameters> = {}) {
  const declaration = declare(type, options);
  return (target: object, key: string | symbol, descriptor: PropertyDescriptor | undefined): void => {
    const method: unknown = descriptor?.value;
    if (typeof target === 'function') throw misplaced(target.name, key, 'is static; a handler is an instance method');
    if (typeof method !== 'function') {
      throw misplaced(target.constructor.name, key, 'is not a method; @OnDelayedTask stands on methods only');
    }
    if (typeof key === 'symbol')
      throw misplaced(target.constructor.name, key, 'must have a text for a name, not a symbol');
    addDeclaration({ prototype: target, methodName: key, method }, declaration);
  };
}

/**
 * What is no object at all is refused at boot, which can name the method; and so is any other value of `parameters`, which
 * stays among the options.
 */
function declare(type: string, given: OnDelayedTaskOptions & Partial<DecoratedParameters>): HandlerDeclaration {
  if (typeof given !== 'object' || given === null) return { type, queue: DEFAULT_QUEUE, options: given };
  const { queue = DEFAULT_QUEUE, ...options } = given;
  if (options.parameters !== 'decorated') return { type, queue, options };
  const { parameters, ...rest } = options;
  return { type, queue, options: rest, parameters };
}

function misplaced(className: string, key: string | symbol, problem: string): ConfigurationError {
  return new ConfigurationError(`${className}.${String(key)}`, problem);
}
