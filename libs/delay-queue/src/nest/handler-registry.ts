import { Inject, Injectable } from '@nestjs/common';
import { ConfigurationError } from '../core/errors.js';
import { QueueSettings } from '../options/queue-settings.js';
import type { QueueLogger } from '../ports/queue-event.js';
import { DelayQueueRuntime } from '../runtime/delay-queue-runtime.js';
import { type DiscoveredHandler, HandlerExplorer } from './handler-explorer.js';
import { HandlerFactory } from './handler-factory.js';
import { IdempotentHandlers } from './idempotent-handlers.js';
import { QueueInstances } from './queue-instances.js';
import { DEFAULT_QUEUE } from './queue-name.js';
import type { ResolvedModuleOptions } from './resolve-module-options.js';
import { QUEUE_LOGGER, QUEUE_NAME, RESOLVED_OPTIONS } from './tokens.js';

/** Knows the queue's handlers: one for each task type. */
@Injectable()
export class HandlerRegistry {
  private readonly handlers = new Map<string, DiscoveredHandler>();

  constructor(
    private readonly explorer: HandlerExplorer,
    private readonly factory: HandlerFactory,
    private readonly idempotent: IdempotentHandlers,
    private readonly settings: QueueSettings,
    private readonly runtime: DelayQueueRuntime,
    private readonly instances: QueueInstances,
    @Inject(QUEUE_NAME) private readonly queue: string,
    @Inject(QUEUE_LOGGER) private readonly logger: QueueLogger,
    @Inject(RESOLVED_OPTIONS) private readonly options: ResolvedModuleOptions,
  ) {}

  /** Task types that this process runs. */
  get types(): readonly string[] {
    return [...this.handlers.keys()];
  }

  /**
   * Finds the handlers of this queue and hands them to the runtime, unless this process only produces.
   *
   * @throws ConfigurationError naming the class and method, both when two handle one type, and the queue when the
   * application has none of that name.
   */
  register(): void {
    const found = this.explorer.explore();
    for (const handler of found) this.assertKnownQueue(handler);
    const own = found.filter(({ declaration }) => declaration.queue === this.queue);
    if (this.options.consume) own.forEach((handler) => this.add(handler));
    else this.reportIgnored(own);
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

  private reportIgnored(handlers: readonly DiscoveredHandler[]): void {
    const names = handlers.map(({ name, declaration }) => `'${declaration.type}' by ${name}`).join(', ');
    this.logger.log(
      `This process only schedules (consume: false); handlers that are not run here: ${names || 'none'}.`,
    );
  }

  private assertKnownQueue({ name, declaration }: DiscoveredHandler): void {
    const { names } = this.instances;
    if (names.includes(declaration.queue)) return;
    const advice =
      declaration.queue === DEFAULT_QUEUE ? "; name the one that is meant: @OnDelayedTask(type, { queue: '…' })" : '';
    throw new ConfigurationError(
      name,
      `handles '${declaration.type}' of the queue '${String(declaration.queue)}', which this application does not have: ` +
        `it has ${names.map((known) => `'${known}'`).join(', ')}${advice}`,
    );
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
