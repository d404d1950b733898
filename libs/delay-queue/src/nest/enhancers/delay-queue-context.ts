import type { ArgumentsHost } from '@nestjs/common';
import { InvalidArgumentError } from '../../core/errors.js';
import type { DelayedTask } from '../../task/delayed-task.js';
import type { PayloadOf, TaskType } from '../../task/delayed-tasks.js';

/** What `context.getType()` answers while a guard, an interceptor or a filter runs for a task. */
export const DELAY_QUEUE_CONTEXT = 'delay-queue';

/**
 * Tells whether a guard, an interceptor or a filter runs for a task, and not for a request.
 *
 * Those of the whole application run for both, so one that looks for a request must let tasks pass.
 *
 * @example
 * canActivate(context: ExecutionContext): boolean {
 *   if (isDelayQueueContext(context)) return true;
 *   return isLoggedIn(context.switchToHttp().getRequest());
 * }
 */
export function isDelayQueueContext(host: ArgumentsHost): boolean {
  return host.getType<string>() === DELAY_QUEUE_CONTEXT;
}

/** What a guard, an interceptor or a filter may know of the task that it runs for. */
export class DelayQueueContext<Type extends string = TaskType> {
  private constructor(
    /** The payload as its schema leaves it; pipes come later. */
    readonly payload: PayloadOf<Type>,
    readonly task: DelayedTask<Type>,
  ) {}

  /**
   * Reads the task out of the context that Nest hands to a guard, an interceptor or a filter.
   *
   * @throws InvalidArgumentError when the context is not one of a task; see {@link isDelayQueueContext}.
   * @example
   * const { task } = DelayQueueContext.of(context);
   */
  static of<Type extends string = TaskType>(host: ArgumentsHost): DelayQueueContext<Type> {
    if (!isDelayQueueContext(host)) {
      throw new InvalidArgumentError('context', `belongs to '${host.getType<string>()}' and not to a task`);
    }
    const [payload, task] = host.getArgs<[PayloadOf<Type>, DelayedTask<Type>]>();
    return new DelayQueueContext(payload, task);
  }
}
