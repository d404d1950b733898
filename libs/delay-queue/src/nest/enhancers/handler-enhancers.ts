import { Inject, Injectable } from '@nestjs/common';
import { ModuleRef, type NestContainer } from '@nestjs/core';
import { ConfigurationError } from '../../core/errors.js';
import type { QueueLogger } from '../../ports/queue-event.js';
import type { DiscoveredHandler, ProviderWrapper } from '../handler-explorer.js';
import { QUEUE_LOGGER } from '../tokens.js';
import { containerOf } from './application-container.js';
import { assertParameters, type DecoratedParameter, readParameters } from './handler-parameters.js';
import { NEST_METADATA } from './nest-metadata.js';

/** What stands between a task and its handler. */
export interface HandlerEnhancers {
  /** Whether a guard or an interceptor of the method, the class or the application runs before the handler. */
  readonly around: boolean;
  /** Whether there is a filter that may be asked about what the handler throws. */
  readonly filters: boolean;
  /** Whether decorators say what the parameters receive, and pipes therefore act on them. */
  readonly parameters: boolean;
}

type EnhancerKind = 'guards' | 'interceptors' | 'pipes' | 'filters';

/** The enhancers of one kind that belong to the whole application. */
interface GlobalEnhancers {
  readonly instances: readonly object[];
  /** Nest's records of those that are made anew for each request. */
  readonly scoped: readonly ProviderWrapper[];
}

/** Finds out, once at boot, which guards, interceptors, pipes and filters a handler has. */
@Injectable()
export class HandlerEnhancerReader {
  private announced = false;

  constructor(
    private readonly moduleRef: ModuleRef,
    @Inject(QUEUE_LOGGER) private readonly logger: QueueLogger,
  ) {}

  /**
   * Reads the enhancers of a handler.
   *
   * @throws ConfigurationError when Nest would pass over one of them, or leave a parameter empty.
   */
  read(handler: DiscoveredHandler): HandlerEnhancers {
    const container = containerOf(this.moduleRef);
    const parameters = readParameters(ownerOf(handler), handler.methodName);
    assertParameters({ name: handler.name, count: countParameters(handler), parameters });
    assertDecorated(handler, parameters);
    const kinds = (['guards', 'interceptors', 'filters', 'pipes'] as const).filter((kind) =>
      this.has({ container, handler, kind, parameters }),
    );
    this.announceGuards(container);
    if (kinds.includes('pipes') && parameters.length === 0 && countParameters(handler) > 0) assertNoOwnPipes(handler);
    return {
      around: kinds.includes('guards') || kinds.includes('interceptors'),
      filters: kinds.includes('filters'),
      parameters: parameters.length > 0,
    };
  }

  /** Guards that are made for requests are what most often keeps tasks from running, and nothing at boot shows it. */
  private announceGuards(container: NestContainer): void {
    const { instances, scoped } = globalsOf(container, 'guards');
    if (this.announced || instances.length + scoped.length === 0) return;
    this.announced = true;
    const names = [...instances.map((guard) => guard.constructor.name), ...scoped.map(nameOf)].join(', ');
    this.logger.log(
      `Guards of the whole application run before tasks too (${names}): those that are made for requests must let tasks ` +
        'pass, see isDelayQueueContext.',
    );
  }

  private has({ container, handler, kind, parameters }: EnhancerQuery): boolean {
    const own = ownEnhancers(handler, kind);
    const onParameters = kind === 'pipes' ? parameters.flatMap(({ pipes }) => pipes) : [];
    for (const enhancer of [...own, ...onParameters]) assertMade(handler, enhancer);
    const { instances, scoped } = globalsOf(container, kind);
    // A pipe without a parameter to act on is not missed.
    if (kind !== 'pipes' || parameters.length > 0) for (const wrapper of scoped) assertAttached(handler, wrapper);
    return own.length + onParameters.length + instances.length + scoped.length > 0;
  }
}

interface EnhancerQuery {
  readonly container: NestContainer;
  readonly handler: DiscoveredHandler;
  readonly kind: EnhancerKind;
  readonly parameters: readonly DecoratedParameter[];
}

/** The enhancers that decorators on the method and on its class name. */
function ownEnhancers(handler: DiscoveredHandler, kind: EnhancerKind): readonly unknown[] {
  return [ownerOf(handler), handler.method].flatMap((target) => {
    const found: unknown = Reflect.getMetadata(NEST_METADATA[kind], target);
    return (found as readonly unknown[] | undefined) ?? [];
  });
}

function globalsOf({ applicationConfig: config }: NestContainer, kind: EnhancerKind): GlobalEnhancers {
  if (config === undefined) return { instances: [], scoped: [] };
  switch (kind) {
    case 'guards':
      return { instances: config.getGlobalGuards(), scoped: config.getGlobalRequestGuards() };
    case 'interceptors':
      return { instances: config.getGlobalInterceptors(), scoped: config.getGlobalRequestInterceptors() };
    case 'pipes':
      return { instances: config.getGlobalPipes(), scoped: config.getGlobalRequestPipes() };
    case 'filters':
      return { instances: config.getGlobalFilters(), scoped: config.getGlobalRequestFilters() };
    default:
      return kind satisfies never;
  }
}

/** The class as Nest sees it, on which decorators of the class and of parameters leave their notes. */
function ownerOf({ instance }: DiscoveredHandler): object {
  return instance.constructor;
}

function countParameters({ instance, method, methodName }: DiscoveredHandler): number {
  const types: unknown = Reflect.getMetadata(NEST_METADATA.parameterTypes, instance, methodName);
  return Math.max(method.length, Array.isArray(types) ? types.length : 0);
}

function assertDecorated(handler: DiscoveredHandler, parameters: readonly DecoratedParameter[]): void {
  if (handler.declaration.parameters !== 'decorated' || parameters.length > 0) return;
  if (countParameters(handler) === 0) return;
  throw new ConfigurationError(handler.name, "has parameters: 'decorated', and no parameter with a decorator");
}

/** Pipes of the application may be meant for others; those of the handler itself are not. */
function assertNoOwnPipes(handler: DiscoveredHandler): void {
  if (ownEnhancers(handler, 'pipes').length === 0) return;
  throw new ConfigurationError(
    handler.name,
    'has pipes, which act on decorated parameters only: mark them with @TaskPayload() and @TaskContext()',
  );
}

/** Nest makes the enhancers that are given as classes for the classes that it provides, and silently leaves out others. */
function assertMade(handler: DiscoveredHandler, enhancer: unknown): void {
  if (typeof enhancer !== 'function') return;
  const record = isProvider(handler.provider) ? attachedTo(handler, enhancer) : undefined;
  if (record !== undefined) {
    assertScopeIsSeen(handler, record);
    return;
  }
  throw new ConfigurationError(
    handler.name,
    `needs ${enhancer.name}, which Nest makes for providers that are given as a class only: ` +
      'put the handler into such a provider, or pass an instance to the decorator',
  );
}

function assertAttached(handler: DiscoveredHandler, wrapper: ProviderWrapper): void {
  const record = attachedTo(handler, wrapper.token);
  if (record !== undefined) {
    assertScopeIsSeen(handler, record);
    return;
  }
  throw new ConfigurationError(
    handler.name,
    `is under ${nameOf(wrapper)}, which the application makes for each request, ` +
      'and Nest can do so only for providers that are given as a class',
  );
}

/** Nest's record of an enhancer of a handler, which need not be the one of the enhancer's module: Nest 11 replaces those. */
function attachedTo({ provider }: DiscoveredHandler, token: unknown): ProviderWrapper | undefined {
  return provider.getEnhancersMetadata()?.find((record) => record.token === token);
}

/**
 * Nest 11 looks at an enhancer before it knows what the enhancer depends on. It then takes for shared what is not, and calls
 * an instance whose constructor never ran.
 */
function assertScopeIsSeen({ name }: DiscoveredHandler, record: ProviderWrapper): void {
  const made: ProviderWrapper | undefined = record.host?.injectables.get(record.token);
  if (made === undefined || made.isDependencyTreeStatic() || !record.isDependencyTreeStatic()) return;
  throw new ConfigurationError(
    name,
    `is under ${nameOf(made)}, which depends on something request-scoped, and this version of Nest does not see that: ` +
      'declare it with @Injectable({ scope: Scope.REQUEST })',
  );
}

function isProvider(wrapper: ProviderWrapper): boolean {
  return wrapper.host?.getProviderByKey(wrapper.token) === wrapper;
}

function nameOf({ metatype, name }: ProviderWrapper): string {
  return metatype?.name ?? String(name);
}
