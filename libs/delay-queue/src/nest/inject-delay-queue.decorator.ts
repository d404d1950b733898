import { Inject, type Type } from '@nestjs/common';
import { DelayQueueProducer } from './delay-queue-producer.js';
import { getDelayQueueToken } from './get-delay-queue-token.js';

/**
 * Injects the producer of a queue, or another part of it.
 *
 * @param name of the queue; left out, the queue that was registered without one.
 * @param part `DelayQueueAdmin`, `DelayQueueEvents`, `DelayQueueHealth` or `DelayQueueRunner` instead of the producer.
 * @throws ConfigurationError when the name cannot be one.
 * @example
 * constructor(
 *   @InjectDelayQueue('reports') private readonly reports: DelayQueueProducer,
 *   @InjectDelayQueue('reports', DelayQueueAdmin) private readonly admin: DelayQueueAdmin,
 * ) {}
 */
export function InjectDelayQueue(
  name?: string,
  part: Type<unknown> = DelayQueueProducer,
): PropertyDecorator & ParameterDecorator {
  return Inject(getDelayQueueToken(name, part));
}
