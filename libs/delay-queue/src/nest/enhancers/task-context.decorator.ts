import { markParameter, PARAMETER_KINDS } from './handler-parameters.js';

/**
 * Marks the parameter of a handler that receives the task, a `DelayedTask`.
 *
 * @throws ConfigurationError when it stands on something else than a parameter of an instance method.
 * @example
 * @OnDelayedTask('order_timeout')
 * async cancelUnpaid(@TaskPayload() payload: OrderTimeoutDto, @TaskContext() task: DelayedTask<'order_timeout'>) {}
 */
export function TaskContext(): ParameterDecorator {
  return (target, key, index) => markParameter({ target, key, index }, PARAMETER_KINDS.task, []);
}
