import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Inject, Injectable, Scope } from '@nestjs/common';
import {
  type ContextId,
  ContextIdFactory,
  type ContextIdStrategy,
  type HostComponentInfo,
  REQUEST,
} from '@nestjs/core';
import { DELAYED_TASK, type DelayedTask, DelayedTaskRequest, OnDelayedTask } from 'nestjs-delay-queue';
import { nextEvent } from './support/next-event.js';
import { type TestApp, TestApps } from './support/test-apps.js';

/** A strategy as users write it for requests, and teach about tasks. */
class ByTenant implements ContextIdStrategy<DelayedTaskRequest> {
  private readonly trees = new Map<string, ContextId>();

  attach(contextId: ContextId, request: DelayedTaskRequest) {
    const tenantId = request.headers['x-tenant-id'] ?? tenantOf(request);
    if (tenantId === undefined) return () => contextId;
    const tree = this.trees.get(tenantId) ?? ContextIdFactory.create();
    this.trees.set(tenantId, tree);
    const resolve = ({ isTreeDurable }: HostComponentInfo) => (isTreeDurable ? tree : contextId);
    return { resolve, payload: { tenantId } };
  }
}

function tenantOf(request: DelayedTaskRequest): string | undefined {
  return request instanceof DelayedTaskRequest ? (request.task.payload as { tenantId?: string }).tenantId : undefined;
}

// The strategy is Nest's one for the whole process; this file has a process, or a module registry, of its own.
beforeAll(() => ContextIdFactory.apply(new ByTenant()));
afterAll(() => ContextIdFactory.apply(undefined as unknown as ContextIdStrategy));

const apps = new TestApps();
afterEach(() => apps.closeAll());

const journal: unknown[] = [];
afterEach(() => {
  journal.length = 0;
});

async function runOf({ producer, events }: TestApp, tasks: readonly (readonly [string, string])[]): Promise<void> {
  for (const [id, tenantId] of tasks) {
    const completed = nextEvent(events, 'completed', id);
    await producer.schedule('t', { tenantId }, { delay: 0, id });
    await completed;
  }
}

const TASKS = [
  ['a1', 'a'],
  ['b1', 'b'],
  ['a2', 'a'],
] as const;

describe('C41 durable providers', () => {
  it('C41 are shared by the tasks of a tenant, as the strategy of the application says', async () => {
    let made = 0;
    @Injectable({ scope: Scope.REQUEST, durable: true })
    class Connection {
      readonly number = ++made;
    }
    @Injectable()
    class Handler {
      constructor(
        private readonly connection: Connection,
        @Inject(REQUEST) private readonly request: DelayedTaskRequest & { tenantId: string },
        @Inject(DELAYED_TASK) private readonly own: DelayedTask,
      ) {}

      @OnDelayedTask('t')
      handle(_payload: unknown, task: DelayedTask): void {
        journal.push([task.id, this.own.id, this.request.tenantId, this.connection.number]);
      }
    }
    await runOf(await apps.boot({ providers: [Connection, Handler] }), TASKS);
    expect(journal).toEqual([
      ['a1', 'a1', 'a', 1],
      ['b1', 'b1', 'b', 2],
      ['a2', 'a2', 'a', 1],
    ]);
  });

  it('C41 that handle tasks themselves are one instance a tenant, which sees the tenant and not the task', async () => {
    let made = 0;
    @Injectable({ scope: Scope.REQUEST, durable: true })
    class Handler {
      readonly number = ++made;

      constructor(@Inject(REQUEST) private readonly tenant: object) {}

      @OnDelayedTask('t')
      handle(_payload: unknown, task: DelayedTask): void {
        journal.push([task.id, this.number, this.tenant]);
      }
    }
    await runOf(await apps.boot({ providers: [Handler] }), TASKS);
    expect(journal).toEqual([
      ['a1', 1, { tenantId: 'a' }],
      ['b1', 2, { tenantId: 'b' }],
      ['a2', 1, { tenantId: 'a' }],
    ]);
  });
});
