import { Injectable } from '@nestjs/common';
import { ConfigurationError } from '../core/errors.js';
import { QueueSettings } from '../options/queue-settings.js';
import { DelayQueueRuntime } from '../runtime/delay-queue-runtime.js';
import { type DiscoveredHandler, HandlerExplorer } from './handler-explorer.js';
import { HandlerFactory } from './handler-factory.js';
import { IdempotentHandlers } from './idempotent-handlers.js';

/** Knows the application's handlers: one for each task type. */
@Injectable()
export class HandlerRegistry {
  private readonly handlers = new Map<string, DiscoveredHandler>();

  constructor(
    private readonly explorer: HandlerExplorer,
    private readonly factory: HandlerFactory,
    private readonly idempotent: IdempotentHandlers,
    private readonly settings: QueueSettings,
    private readonly runtime: DelayQueueRuntime,
  ) {}

  /** Task types that this process has a handler for. */
  get types(): readonly string[] {
    return [...this.handlers.keys()];
  }

  /**
   * Finds the handlers and hands them to the runtime.
   *
   * @throws ConfigurationError naming the class and method, both when two handle one type.
   */
  register(): void {
    for (const handler of this.explorer.explore()) this.add(handler);
  }

  private add(handler: DiscoveredHandler): void {
    const { type, options } = handler.declaration;
    const other = this.handlers.get(type);
    if (other !== undefined) throw handledTwice(handler, other);
    this.settings.addHandler(type, options, handler.name);
    this.handlers.set(type, handler);
    const made = this.factory.create(handler);
    const { idempotent } = handler;
    this.runtime.addHandler(idempotent === undefined ? made : this.idempotent.guard(made, idempotent));
  }
}

function handledTwice(handler: DiscoveredHandler, other: DiscoveredHandler): ConfigurationError {
  const { type } = handler.declaration;
  const problem =
    `handles '${type}' in ${handler.moduleName}, and so does ${other.name} in ${other.moduleName}: ` +
    'a task type has one handler';
  const advice = handler.name === other.name ? '; provide the class once, and export it' : '';
  return new ConfigurationError(handler.name, problem + advice);
}
