import { Injectable } from '@nestjs/common';
import type { TaskHandler } from '../runtime/task-handler.js';
import type { DiscoveredHandler } from './handler-explorer.js';

/** Makes what the runtime calls out of what was discovered. */
@Injectable()
export class HandlerFactory {
  create({ declaration, name, instance, method }: DiscoveredHandler): TaskHandler {
    return { type: declaration.type, name, run: (task) => method.call(instance, task.payload, task) };
  }
}
