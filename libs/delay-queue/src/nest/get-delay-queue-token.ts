import type { Type } from '@nestjs/common';
import { DelayQueueProducer } from './delay-queue-producer.js';
import { DEFAULT_QUEUE, readQueueName } from './queue-name.js';

/**
 * Tells under which token a part of a queue can be injected: `DelayQueueProducer`, `DelayQueueAdmin`, `DelayQueueEvents`,
 * `DelayQueueHealth` or `DelayQueueRunner`.
 *
 * @param name of the queue; without one, or with `'default'`, the token is the class itself.
 * @throws ConfigurationError when the name cannot be one.
 * @example
 * app.get(getDelayQueueToken('reports', DelayQueueAdmin))
 */
export function getDelayQueueToken(name?: string): Type<DelayQueueProducer> | string;
/** @param part a class; the producer if left out. */
export function getDelayQueueToken<Part>(name: string | undefined, part: Type<Part>): Type<Part> | string;
export function getDelayQueueToken(
  name: string | undefined,
  part: Type<unknown> = DelayQueueProducer,
): Type<unknown> | string {
  const queue = readQueueName(name);
  return queue === DEFAULT_QUEUE ? part : `${part.name}:${queue}`;
}
