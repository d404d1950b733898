import { type ContextId, ExternalContextCreator, type NestContainer } from '@nestjs/core';
import type { DiscoveredHandler } from '../handler-explorer.js';
import { DELAY_QUEUE_CONTEXT } from './delay-queue-context.js';
import { PARAMETER_KINDS } from './handler-parameters.js';
import { NEST_METADATA } from './nest-metadata.js';

/** A function of a handler's arguments, the payload and the task, that Nest has put something around. */
export type ContextFunction = (...args: readonly unknown[]) => Promise<unknown>;

/** The instance that a handler is called on. */
export interface HandlerInstance {
  readonly instance: object;
  /** Left out for an instance that all tasks share. */
  readonly contextId?: ContextId;
}

/** What Nest is to put around a function. */
export interface ContextParts extends HandlerInstance {
  /** Stands in for the handler's method: enhancers find on it what decorators noted on the method. */
  readonly callback: (...args: readonly unknown[]) => unknown;
  readonly parts: 'guards and interceptors' | 'pipes' | 'filters';
}

const PARAMETERS = {
  exchangeKeyForValue(kind: number, _data: unknown, [payload, task]: readonly unknown[]): unknown {
    return kind === PARAMETER_KINDS.payload ? payload : task;
  },
};

/** Has Nest put guards, interceptors, pipes and filters around functions of one handler. */
export class ExternalContexts {
  /**
   * Creators of its own, because each keeps what it knows of a method by the names of class and method: two classes of one
   * name would get each other's parameters from a shared one in Nest 11. Two, for the same reason: only one of them may
   * know of parameters.
   */
  private readonly plain: ExternalContextCreator;
  private readonly piping: ExternalContextCreator;

  constructor(
    container: NestContainer,
    private readonly handler: DiscoveredHandler,
  ) {
    this.plain = ExternalContextCreator.fromContainer(container);
    this.piping = ExternalContextCreator.fromContainer(container);
  }

  create({ callback, instance, contextId, parts }: ContextParts): ContextFunction {
    const pipes = parts === 'pipes';
    const around = parts === 'guards and interceptors';
    const creator = pipes ? this.piping : this.plain;
    return creator.create(
      instance as Record<string, unknown>,
      standIn(callback, this.handler.method),
      this.handler.methodName,
      pipes ? NEST_METADATA.parameters : undefined,
      pipes ? PARAMETERS : undefined,
      contextId,
      this.handler.provider.id,
      { guards: around, interceptors: around, filters: parts === 'filters' },
      DELAY_QUEUE_CONTEXT,
    );
  }
}

/** Makes a function pass for a method: it has the method's name, and inherits what decorators noted on it. */
function standIn(
  callback: (...args: readonly unknown[]) => unknown,
  method: DiscoveredHandler['method'],
): (...args: readonly unknown[]) => unknown {
  const { name, length } = method;
  Object.defineProperties(callback, { name: { value: name }, length: { value: length } });
  return Object.setPrototypeOf(callback, method);
}
