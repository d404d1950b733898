import { Inject, Injectable } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { ConfigurationError } from '../core/errors.js';
import type { QueueLogger } from '../ports/queue-event.js';
import type { HandlerDeclaration } from './handler-metadata.js';
import { type HandlerFunction, HandlerMetadataAccessor, type MethodDeclarations } from './handler-metadata-accessor.js';
import { QUEUE_LOGGER, QUEUE_NAME } from './tokens.js';

/** Nest's record of a provider or controller; it does not export the type. */
export type ProviderWrapper = ReturnType<DiscoveryService['getProviders']>[number];

/** A decorated method of a living provider or controller. */
export interface DiscoveredHandler {
  readonly declaration: HandlerDeclaration;
  /** `Class.method`. */
  readonly name: string;
  /** Name of the module that provides the class. */
  readonly moduleName: string;
  readonly methodName: string;
  /** What has the method; of a class that is made anew for each task, an object whose constructor never ran. */
  readonly instance: object;
  readonly method: HandlerFunction;
  /** What stands in its `@Idempotent`, or undefined. */
  readonly idempotent: unknown;
  readonly provider: ProviderWrapper;
}

/** Finds the handlers among the application's providers and controllers. */
@Injectable()
export class HandlerExplorer {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly metadata: HandlerMetadataAccessor,
    @Inject(QUEUE_LOGGER) private readonly logger: QueueLogger,
    @Inject(QUEUE_NAME) private readonly queue: string,
  ) {}

  /** Looks at every provider and controller once; several tokens for one instance count once. */
  explore(): readonly DiscoveredHandler[] {
    const seen = new Set<object>();
    const found: DiscoveredHandler[] = [];
    for (const wrapper of [...this.discovery.getProviders(), ...this.discovery.getControllers()]) {
      const instance = instanceOf(wrapper);
      if (instance === undefined || seen.has(instance)) continue;
      seen.add(instance);
      found.push(...this.exploreInstance(wrapper, instance));
    }
    return found;
  }

  private exploreInstance(wrapper: ProviderWrapper, instance: object): readonly DiscoveredHandler[] {
    const prototype = Reflect.getPrototypeOf(instance);
    if (prototype === null || prototype === Object.prototype) return [];
    const className = classNameOf(prototype) ?? String(wrapper.name);
    return this.scanner.getAllMethodNames(prototype).flatMap((methodName) => {
      const name = `${className}.${methodName}`;
      const read = this.metadata.read(prototype, methodName);
      if (read === undefined) return [];
      if (read.declarations.length === 0) this.warnOfOverridden(name, read);
      this.checkIdempotent(name, read);
      const moduleName = wrapper.host?.name ?? 'an unknown module';
      const { method, idempotent } = read;
      const found = { name, moduleName, methodName, instance, method, idempotent, provider: wrapper };
      return read.declarations.map((declaration) => ({ declaration, ...found }));
    });
  }

  private warnOfOverridden(name: string, { overridden }: MethodDeclarations): void {
    // Each queue explores the whole application, and speaks of its own handlers only.
    const own = overridden.filter(({ queue }) => queue === this.queue);
    if (own.length === 0) return;
    const types = own.map(({ type }) => `'${type}'`).join(', ');
    this.logger.warn(
      `${name} overrides a handler of ${types} and has no @OnDelayedTask of its own: it handles nothing.`,
    );
  }

  private checkIdempotent(name: string, { declarations, idempotent, overridesIdempotent }: MethodDeclarations): void {
    if (declarations.length === 0) {
      if (idempotent === undefined) return;
      throw new ConfigurationError(name, 'has @Idempotent, but no @OnDelayedTask: it handles nothing');
    }
    if (idempotent !== undefined || !overridesIdempotent) return;
    if (!declarations.some(({ queue }) => queue === this.queue)) return;
    this.logger.warn(`${name} overrides a handler with @Idempotent and has none of its own: it is not idempotent.`);
  }
}

/** The object that a provider stands for; aliases are left out, their target is found under its own token. */
function instanceOf(wrapper: ProviderWrapper): object | undefined {
  if (wrapper.isAlias) return undefined;
  const instance: unknown = wrapper.instance;
  return typeof instance === 'object' && instance !== null ? instance : undefined;
}

function classNameOf(prototype: object): string | undefined {
  const constructor: unknown = Reflect.getOwnPropertyDescriptor(prototype, 'constructor')?.value;
  return typeof constructor === 'function' && constructor.name !== '' ? constructor.name : undefined;
}
