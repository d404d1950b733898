import { Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { TaskHandler } from '../runtime/task-handler.js';
import { containerOf } from './enhancers/application-container.js';
import { EnhancedMethod } from './enhancers/enhanced-method.js';
import { type HandlerEnhancers, HandlerEnhancerReader } from './enhancers/handler-enhancers.js';
import { lastValue } from './enhancers/last-value.js';
import { TaskScope } from './enhancers/task-scope.js';
import type { DiscoveredHandler } from './handler-explorer.js';

/**
 * Makes what the runtime calls out of what was discovered.
 *
 * What a handler needs is decided here, once: one without enhancers, whose instance all tasks share, is called directly.
 */
@Injectable()
export class HandlerFactory {
  constructor(
    private readonly enhancers: HandlerEnhancerReader,
    private readonly moduleRef: ModuleRef,
  ) {}

  /** @throws ConfigurationError when Nest would pass over a guard, an interceptor, a pipe or a filter of the handler. */
  create(handler: DiscoveredHandler): TaskHandler {
    const enhancers = this.enhancers.read(handler);
    const run = TaskScope.isNeeded(handler.provider)
      ? this.perTask(handler, enhancers)
      : this.shared(handler, enhancers);
    return { type: handler.declaration.type, name: handler.name, run };
  }

  private shared(handler: DiscoveredHandler, enhancers: HandlerEnhancers): TaskHandler['run'] {
    const { instance, method } = handler;
    if (isBare(enhancers)) return (task) => lastValue(method.call(instance, task.payload, task));
    return this.enhance(handler, enhancers).bind({ instance });
  }

  private perTask(handler: DiscoveredHandler, enhancers: HandlerEnhancers): TaskHandler['run'] {
    const { method, provider } = handler;
    const scope = new TaskScope(provider);
    const enhanced = isBare(enhancers) ? null : this.enhance(handler, enhancers);
    return async (task) => {
      const scoped = await scope.enter(task);
      if (enhanced === null) return lastValue(method.call(scoped.instance, task.payload, task));
      return enhanced.bind(scoped)(task);
    };
  }

  private enhance(handler: DiscoveredHandler, enhancers: HandlerEnhancers): EnhancedMethod {
    return new EnhancedMethod(containerOf(this.moduleRef), handler, enhancers);
  }
}

function isBare({ around, filters, parameters }: HandlerEnhancers): boolean {
  return !around && !filters && !parameters;
}
