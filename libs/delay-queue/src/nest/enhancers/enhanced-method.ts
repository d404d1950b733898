import type { HttpException } from '@nestjs/common';
import type { NestContainer } from '@nestjs/core';
import type { DelayedTask } from '../../task/delayed-task.js';
import { TaskOutcome } from '../../task/task-outcome.js';
import type { DiscoveredHandler } from '../handler-explorer.js';
import { type ContextFunction, ExternalContexts, type HandlerInstance } from './external-context.js';
import type { HandlerEnhancers } from './handler-enhancers.js';
import { lastValue } from './last-value.js';
import { buryRefused, isRefusal } from './payload-refusal.js';

/** A function that runs the handler for a task, with all that stands around it. */
export type TaskFunction = (task: DelayedTask<string>) => Promise<unknown>;

/** What became of one task between its enhancers. */
interface Attempt {
  /** What the handler itself has returned, if that was an outcome. */
  outcome: TaskOutcome | null;
  /** What a pipe has said about the payload. */
  refusal: HttpException | null;
}

/**
 * A handler's method with its guards, interceptors, pipes and filters.
 *
 * Guards, interceptors, pipes and the method run in Nest's order. Beside that it sees to what a task needs and a request does
 * not: an outcome that the method has returned survives an interceptor that wraps every result, a payload that a pipe
 * refuses is not tried again, and a filter that returns nothing has not handled the error.
 */
export class EnhancedMethod {
  private readonly contexts: ExternalContexts;
  private readonly attempts = new WeakMap<object, Attempt>();

  constructor(
    container: NestContainer,
    private readonly handler: DiscoveredHandler,
    private readonly enhancers: HandlerEnhancers,
  ) {
    this.contexts = new ExternalContexts(container, handler);
  }

  /** Binds the method to an instance; once at boot for an instance that all tasks share. */
  bind(on: HandlerInstance): TaskFunction {
    const pipes = this.enhancers.parameters ? this.pipesOf(on) : null;
    const { method } = this.handler;
    const attempts = this.attempts;
    async function call(this: object, ...[payload, task]: readonly unknown[]): Promise<unknown> {
      const attempt = attempts.get(task as object);
      const args = pipes === null ? [payload, task] : await pipe(pipes, [payload, task], attempt);
      const result = await lastValue(method.apply(this, args));
      if (attempt) attempt.outcome = result instanceof TaskOutcome ? result : null;
      return result;
    }
    const around = this.contexts.create({ ...on, parts: 'guards and interceptors', callback: call });
    return (task) => this.run({ on, around, task });
  }

  private async run({ on, around, task }: Call): Promise<unknown> {
    const attempt: Attempt = { outcome: null, refusal: null };
    this.attempts.set(task, attempt);
    try {
      const result = await around(task.payload, task);
      return result instanceof TaskOutcome ? result : (attempt.outcome ?? result);
    } catch (error) {
      const answer = this.enhancers.filters ? await this.askFilters({ on, task, error }) : undefined;
      if (answer) return answer;
      const { refusal } = attempt;
      if (refusal !== null && refusal === error) return buryRefused(refusal);
      throw error;
    }
  }

  /** Makes a function that resolves with the arguments of the method, or rejects as a pipe does. */
  private pipesOf(on: HandlerInstance): ContextFunction {
    return this.contexts.create({ ...on, parts: 'pipes', callback: (...args) => args });
  }

  /**
   * Asks the filters about an error, when there is one and no sooner: a handler that ends well pays nothing for them.
   *
   * @returns what a filter has returned, or nothing when none was for this error, or returned nothing.
   */
  private async askFilters({ on, task, error }: Failure): Promise<unknown> {
    const rethrow = (): never => {
      throw error;
    };
    try {
      return await this.contexts.create({ ...on, parts: 'filters', callback: rethrow })(task.payload, task);
    } catch (thrown) {
      if (thrown === error) return undefined;
      throw causedBy(thrown, error);
    }
  }
}

interface Call {
  readonly on: HandlerInstance;
  readonly around: ContextFunction;
  readonly task: DelayedTask<string>;
}

interface Failure extends Pick<Call, 'on' | 'task'> {
  readonly error: unknown;
}

async function pipe(
  pipes: ContextFunction,
  args: readonly unknown[],
  attempt: Attempt | undefined,
): Promise<unknown[]> {
  try {
    return (await pipes(...args)) as unknown[];
  } catch (error) {
    if (attempt && isRefusal(error)) attempt.refusal = error;
    throw error;
  }
}

/** A filter that is made for requests fails on a task; what it was asked about must not be lost. */
function causedBy(thrown: unknown, error: unknown): unknown {
  if (thrown instanceof Error && thrown.cause === undefined && Object.isExtensible(thrown)) thrown.cause = error;
  return thrown;
}
