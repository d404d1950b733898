import { Inject, Injectable } from '@nestjs/common';
import { ConfigurationError } from '../core/errors.js';
import type { QueueLogger } from '../ports/queue-event.js';
import { QueueInstances } from './queue-instances.js';
import { QUEUE_LOGGER, QUEUE_NAME } from './tokens.js';

/** Below the root module, whose distance is 1, and below modules that nothing imports, which have 0. */
const BEHIND_EVERY_MODULE = -1;

/**
 * Makes the hooks of the queues the last on the way up and the first on the way down.
 *
 * Nest calls the hooks of modules in falling order of their distance from the root, and backwards when it shuts down.
 * Behind all of them, handlers start after every provider has bootstrapped, and have ended before the first provider
 * closes what they use. Nest reads the distance when the first hook is due, which is after this constructor.
 */
@Injectable()
export class HookOrder {
  constructor(instances: QueueInstances, @Inject(QUEUE_NAME) name: string, @Inject(QUEUE_LOGGER) logger: QueueLogger) {
    const times = instances.names.filter((other) => other === name).length;
    if (times > 1) throw registeredTwice(name, times);
    for (const core of instances.cores) {
      if (typeof core.distance !== 'number') {
        logger.warn('This version of Nest orders its hooks in an unknown way: handlers may start too early.');
        return;
      }
      core.distance = BEHIND_EVERY_MODULE;
    }
  }
}

function registeredTwice(name: string, times: number): ConfigurationError {
  return new ConfigurationError(
    'DelayQueueModule',
    `forRoot or forRootAsync was called ${times} times for the queue '${name}' in this application: call it once, and ` +
      'where the module is needed again import the object that this call returned; a second queue needs a `name` of its own',
  );
}
