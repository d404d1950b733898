import { type Provider, Scope } from '@nestjs/common';
import { REQUEST } from '@nestjs/core';
import type { DelayedTask } from '../../task/delayed-task.js';

/**
 * What request-scoped providers receive as `REQUEST`, and a `ContextIdStrategy` as its request, when they serve a task.
 *
 * @example
 * attach(contextId: ContextId, request: Request | DelayedTaskRequest) {
 *   const tenantId = request instanceof DelayedTaskRequest ? tenantOf(request.task) : request.headers['x-tenant-id'];
 *   // …
 * }
 */
export class DelayedTaskRequest {
  /** The task's headers. There always are some, for those who take every request for one over HTTP. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(readonly task: DelayedTask<string>) {
    this.headers = { ...task.headers };
  }
}

/**
 * Injects the task into request-scoped providers: a `DelayedTask`, or `undefined` where the provider serves something else,
 * such as a request over HTTP.
 *
 * @example
 * constructor(@Inject(DELAYED_TASK) private readonly task: DelayedTask | undefined) {}
 */
export const DELAYED_TASK = Symbol('delay-queue:task');

/** Provides {@link DELAYED_TASK}. */
export const DELAYED_TASK_PROVIDER: Provider = {
  provide: DELAYED_TASK,
  scope: Scope.REQUEST,
  inject: [REQUEST],
  useFactory: (request: unknown) => (request instanceof DelayedTaskRequest ? request.task : undefined),
};
