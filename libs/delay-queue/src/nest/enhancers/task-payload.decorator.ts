import { markParameter, PARAMETER_KINDS, type ParameterPipe } from './handler-parameters.js';

/**
 * Marks the parameter of a handler that receives the payload, and sends it through pipes: those of the application, the
 * class and the method, then those that are given here.
 *
 * Pipes act on decorated parameters only. As soon as one parameter of a handler is decorated, all must be.
 *
 * @param pipes pipes, or their classes, for this parameter.
 * @throws ConfigurationError when it stands on something else than a parameter of an instance method.
 * @example
 * @OnDelayedTask('order_timeout')
 * async cancelUnpaid(@TaskPayload(new ValidationPipe()) payload: OrderTimeoutDto, @TaskContext() task: DelayedTask) {}
 */
export function TaskPayload(...pipes: readonly ParameterPipe[]): ParameterDecorator {
  return (target, key, index) => markParameter({ target, key, index }, PARAMETER_KINDS.payload, pipes);
}
