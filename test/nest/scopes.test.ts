import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type CanActivate,
  Controller,
  Inject,
  Injectable,
  Module,
  Scope,
  type Type,
  UseFilters,
  UseGuards,
} from '@nestjs/common';
import { APP_GUARD, REQUEST } from '@nestjs/core';
import {
  DELAYED_TASK,
  type DelayedTask,
  DelayedTaskRequest,
  type DelayQueueModuleOptions,
  OnDelayedTask,
  TaskOutcome,
  TaskPayload,
} from 'nestjs-delay-queue';
import { RedisServer, type SharedRedis } from '../support/redis-server.js';
import { waitFor } from '../support/wait-for.js';
import { collectGarbage } from './support/collect-garbage.js';
import { answering, expectFirst, QUICK } from './support/enhancers.js';
import { nextEvent } from './support/next-event.js';
import { type TestApp, TestApps } from './support/test-apps.js';

const apps = new TestApps();
afterEach(() => apps.closeAll());

/** What happened, in order. */
const journal: unknown[] = [];
/** The instances that were seen, which nothing here keeps. */
const instances: WeakRef<object>[] = [];
afterEach(() => {
  journal.length = 0;
  instances.length = 0;
});

/** A handler that ends when three of its tasks are running, and notes who served which. */
class Meeting {
  static present: (() => void)[] = [];

  static async join(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.present.push(resolve);
      if (this.present.length === 3) this.present.splice(0).forEach((leave) => leave());
    });
  }
}

@Injectable({ scope: Scope.REQUEST })
class Tenant {
  readonly taskId: string;

  constructor(
    @Inject(DELAYED_TASK) task: DelayedTask | undefined,
    @Inject(REQUEST) readonly request: DelayedTaskRequest,
  ) {
    this.taskId = task?.id ?? 'no task';
    instances.push(new WeakRef(this));
  }
}

@Injectable()
class PerRequest {
  constructor(readonly tenant: Tenant) {
    instances.push(new WeakRef(this));
  }

  @OnDelayedTask('t', QUICK)
  async handle(_payload: unknown, task: DelayedTask): Promise<void> {
    await Meeting.join();
    journal.push([task.id, this.tenant.taskId, this.tenant.request.task.id]);
  }
}

@Injectable({ scope: Scope.TRANSIENT })
class Transient {
  private served: string | null = null;

  constructor() {
    instances.push(new WeakRef(this));
  }

  @OnDelayedTask('t', QUICK)
  async handle(_payload: unknown, task: DelayedTask): Promise<void> {
    const before = this.served;
    this.served = task.id;
    await Meeting.join();
    journal.push([task.id, before, this.served]);
  }
}

/** Runs three tasks at once, and waits for their ends. */
async function runThree({ producer, events }: TestApp): Promise<void> {
  const ids = ['a', 'b', 'c'];
  const ends = Promise.all(ids.map((id) => nextEvent(events, 'completed', id)));
  await producer.scheduleMany(
    't',
    ids.map((id) => ({ id, payload: { id }, delay: 0 })),
  );
  await ends;
}

async function expectFreed(): Promise<void> {
  const gone = async (): Promise<boolean> => {
    await collectGarbage();
    return instances.every((ref) => ref.deref() === undefined);
  };
  await waitFor(gone, { deadlineMs: 20_000, what: 'the instances to be freed' });
}

function sortedJournal(): readonly unknown[] {
  return journal.toSorted((a, b) => (String(a) < String(b) ? -1 : 1));
}

function expectOwn(seen: (id: string) => readonly unknown[]): void {
  expect(sortedJournal()).toEqual(['a', 'b', 'c'].map((id) => seen(id)));
}

async function runScoped(queue: DelayQueueModuleOptions, providers: readonly Type[]): Promise<TestApp> {
  const app = await apps.boot({ queue, providers: [...providers] });
  instances.length = 0;
  await runThree(app);
  return app;
}

describe('C41 handlers that are made anew', () => {
  it('C41 depend on something request-scoped: each of three tasks at once has its own, freed afterwards', async () => {
    await runScoped({ embedded: true }, [Tenant, PerRequest]);
    expectOwn((id) => [id, id, id]);
    expect(instances).toHaveLength(6);
    await expectFreed();
  });

  it('C41 are transient: each of three tasks at once has its own, freed afterwards', async () => {
    await runScoped({ embedded: true }, [Transient]);
    expectOwn((id) => [id, null, id]);
    expect(instances).toHaveLength(3);
    await expectFreed();
  });

  it.each<[string, Scope]>([
    ['say so', Scope.REQUEST],
    ['depend on something that is', Scope.DEFAULT],
  ])(
    'C41 have enhancers that are request-scoped: those that %s are made for the task too, and freed',
    async (_, scope) => {
      @Injectable({ scope })
      class TenantGuard implements CanActivate {
        constructor(private readonly tenant: Tenant) {
          instances.push(new WeakRef(this));
        }

        canActivate(): boolean {
          journal.push(`guard of ${this.tenant.taskId}`);
          return true;
        }
      }
      @Injectable()
      class Handler {
        constructor() {
          instances.push(new WeakRef(this));
        }

        @OnDelayedTask('t', QUICK)
        @UseGuards(TenantGuard)
        @UseFilters(answering((error) => TaskOutcome.bury(String(error))))
        handle(@TaskPayload() payload: { id: string }): void {
          journal.push(`task ${payload.id}`);
          if (payload.id === 'x') throw new Error('no');
        }
      }
      const app = await runScoped({ embedded: true }, [Tenant, Handler]);
      expect(sortedJournal()).toEqual([
        ...['a', 'b', 'c'].map((id) => `guard of ${id}`),
        ...['a', 'b', 'c'].map((id) => `task ${id}`),
      ]);
      expect(await expectFirst(app, 'buried', { id: 'x' })).toMatchObject({ reason: 'Error: no' });
      expect(instances).toHaveLength(12);
      await expectFreed();
    },
  );

  it('C41 are under a guard that the application makes for each request', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class AppGuard implements CanActivate {
      constructor(@Inject(DELAYED_TASK) private readonly task: DelayedTask) {}

      canActivate(): boolean {
        journal.push(this.task.id);
        return true;
      }
    }
    @Injectable()
    class Handler {
      @OnDelayedTask('t', QUICK)
      handle(): void {}
    }
    const app = await apps.boot({ providers: [Handler, { provide: APP_GUARD, useClass: AppGuard }] });
    await runThree(app);
    expect(sortedJournal()).toEqual(['a', 'b', 'c']);
    expect(app.log.matching('log', 'AppGuard')).toHaveLength(1);
  });

  it('C41 may be controllers', async () => {
    @Controller()
    class Orders {
      constructor(private readonly tenant: Tenant) {}

      @OnDelayedTask('t', QUICK)
      handle(): void {
        journal.push(this.tenant.taskId);
      }
    }
    const app = await apps.boot({ controllers: [Orders], providers: [Tenant] });
    await runThree(app);
    expect(sortedJournal()).toEqual(['a', 'b', 'c']);
  });

  it('C41 are durable, and made for each task while the application has no strategy for tenants', async () => {
    @Injectable({ scope: Scope.REQUEST, durable: true })
    class Durable {
      constructor(@Inject(REQUEST) private readonly request: DelayedTaskRequest) {
        instances.push(new WeakRef(this));
      }

      @OnDelayedTask('t', QUICK)
      handle(): void {
        journal.push(this.request.task.id);
      }
    }
    await runScoped({ embedded: true }, [Durable]);
    expect(sortedJournal()).toEqual(['a', 'b', 'c']);
    await expectFreed();
  });

  it('C41 come from the module that provides them, also when another one uses their token', async () => {
    const moduleWith = (type: string) => {
      @Injectable({ scope: Scope.REQUEST })
      class Handler {
        private readonly type = type;

        @OnDelayedTask(type, QUICK)
        handle(): void {
          journal.push(this.type);
        }
      }
      @Module({ providers: [{ provide: 'HANDLER', useClass: Handler }] })
      class HandlerModule {}
      return HandlerModule;
    };
    const { producer, events } = await apps.boot({ imports: [moduleWith('t'), moduleWith('u')] });
    for (const type of ['t', 'u']) {
      const completed = nextEvent(events, 'completed', type);
      await producer.schedule(type, null, { delay: 0, id: type });
      await completed;
    }
    expect(journal).toEqual(['t', 'u']);
  });

  it('C41 that cannot be made are failures of the task', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class Broken {
      constructor() {
        throw new Error('cannot be made');
      }

      @OnDelayedTask('t', QUICK)
      handle(): void {}
    }
    const app = await apps.boot({ providers: [Broken] });
    expect((await expectFirst(app, 'retried')).error).toMatchObject({ message: 'cannot be made' });
  });
});

describe('DELAYED_TASK', () => {
  it('C41 is undefined where a provider serves something else, and the request has headers', async () => {
    const { app } = await apps.boot({ providers: [Tenant] });
    expect((await app.resolve(Tenant)).taskId).toBe('no task');
    const request = new DelayedTaskRequest({ headers: { traceparent: '00' } } as unknown as DelayedTask<string>);
    expect(request.headers).toEqual({ traceparent: '00' });
  });
});

describe('on Redis', () => {
  let redis: SharedRedis;
  beforeAll(async () => {
    redis = await RedisServer.shared();
  }, 30_000);
  afterAll(() => redis.release(), 30_000);

  it('C41 each of three tasks at once has an instance of its own, freed afterwards', async () => {
    await runScoped({ connection: redis.url, prefix: `${redis.prefix}-scopes` }, [Tenant, PerRequest]);
    expectOwn((id) => [id, id, id]);
    expect(instances).toHaveLength(6);
    await expectFreed();
  }, 60_000);
});
