import { type ContextId, ContextIdFactory, ModuleRef } from '@nestjs/core';
import { ConfigurationError } from '../../core/errors.js';
import type { DelayedTask } from '../../task/delayed-task.js';
import type { ProviderWrapper } from '../handler-explorer.js';
import { DelayedTaskRequest } from './delayed-task-request.js';

/** An instance that was made for one task, or for the tenant of one. */
export interface ScopedInstance {
  readonly instance: object;
  readonly contextId: ContextId;
}

/** Makes the instances of a handler's class that serve one task each, with all that they depend on. */
export class TaskScope {
  private readonly moduleRef: ModuleRef;
  private readonly isDurable: boolean;

  /** @throws ConfigurationError when Nest does not know the module of the provider. */
  constructor(private readonly provider: ProviderWrapper) {
    // The module's own, because another module may provide something else under the same token.
    const moduleRef: unknown = provider.host?.getProviderByKey(ModuleRef)?.instance;
    if (!(moduleRef instanceof ModuleRef)) {
      throw new ConfigurationError(String(provider.name), 'is made anew for each task, but belongs to no module');
    }
    this.moduleRef = moduleRef;
    this.isDurable = provider.isDependencyTreeDurable();
  }

  /** Whether a provider has no instance that all tasks share. */
  static isNeeded(provider: ProviderWrapper): boolean {
    return provider.isTransient || !provider.isDependencyTreeStatic();
  }

  /** Makes an instance for a task; nobody but the caller holds it. A durable one is that of the task's tenant. */
  async enter(task: DelayedTask<string>): Promise<ScopedInstance> {
    const request = new DelayedTaskRequest(task);
    const contextId = ContextIdFactory.getByRequest(request);
    this.moduleRef.registerRequestByContextId(this.requestFor(request, contextId), contextId);
    const instance = await this.moduleRef.resolve<object>(this.provider.token, contextId, { strict: true });
    return { instance, contextId };
  }

  /** What `REQUEST` injects: as for a request over HTTP, a durable instance sees its tenant and not the task. */
  private requestFor(request: DelayedTaskRequest, contextId: ContextId): unknown {
    const hasTenant = contextId.getParent !== undefined;
    return this.isDurable && hasTenant ? contextId.payload : Object.assign(request, contextId.payload);
  }
}
