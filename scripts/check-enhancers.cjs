/**
 * Runs handlers with guards, interceptors, pipes, filters and scopes in applications with the packed library:
 * `check-package.mjs` runs it beside each version of NestJS, because what the library takes from Nest for them is documented
 * nowhere. A CommonJS script, because most applications still are.
 */
require('reflect-metadata');
const assert = require('node:assert/strict');
const common = require('@nestjs/common');
const { APP_GUARD, NestFactory } = require('@nestjs/core');
const queue = require('nestjs-delay-queue');
const { of } = require('rxjs');

const { BadRequestException, Inject, Injectable, Module, Scope } = common;
const DEADLINE_MS = 10_000;

/** What happened, in order. */
const journal = [];

/** A class that decorators are put on, without the syntax for it. */
function provider(Class, options, ...dependencies) {
  Injectable(options)(Class);
  dependencies.forEach((token, index) => Inject(token)(Class, undefined, index));
  return Class;
}

function handler(Class, { decorators = [], parameters = [], dependencies = [], options } = {}) {
  provider(Class, options, ...dependencies);
  const descriptor = Object.getOwnPropertyDescriptor(Class.prototype, 'handle');
  const all = [queue.OnDelayedTask('t', { maxRetries: 0 }), ...decorators];
  for (const decorator of all) decorator(Class.prototype, 'handle', descriptor);
  parameters.forEach((decorator, index) => decorator(Class.prototype, 'handle', index));
  return Class;
}

/** Boots an application, runs one task for each payload, and says how they ended. */
async function run(providers, payloads) {
  journal.length = 0;
  class App {}
  Module({ imports: [queue.DelayQueueModule.forRoot({ embedded: true })], providers })(App);
  const app = await NestFactory.createApplicationContext(App, { logger: false, abortOnError: false });
  try {
    const ends = new Map();
    const ended = new Promise((resolve, reject) => {
      setTimeout(() => reject(new Error(`only ${[...ends.keys()].join(', ')} ended`)), DEADLINE_MS).unref();
      app.get(queue.DelayQueueEvents).events$.subscribe(({ kind, id, reason }) => {
        if (!['completed', 'buried', 'snoozed'].includes(kind)) return;
        ends.set(id, reason ?? kind);
        if (ends.size === payloads.length) resolve();
      });
    });
    const items = payloads.map((payload) => ({ id: payload.id, payload, delay: 0 }));
    await app.get(queue.DelayQueueProducer).scheduleMany('t', items);
    await ended;
    return Object.fromEntries(ends);
  } finally {
    await app.close();
  }
}

const Tenant = provider(
  class Tenant {
    constructor(task) {
      this.taskId = task.id;
    }
  },
  { scope: Scope.REQUEST },
  queue.DELAYED_TASK,
);

const checks = {
  async 'enhancers of the method decide what becomes of a task'() {
    const Guard = provider(
      class Guard {
        constructor(name) {
          this.name = name;
        }

        canActivate(context) {
          assert(queue.isDelayQueueContext(context));
          journal.push(`${this.name} ${context.getClass().name}.${context.getHandler().name}`);
          return queue.DelayQueueContext.of(context).payload.id !== 'guarded';
        }
      },
      undefined,
      'NAME',
    );
    const pipe = {
      transform(payload) {
        if (payload.id === 'refused') throw new BadRequestException(['one', 'two']);
        return { ...payload, piped: true };
      },
    };
    const interceptor = {
      intercept: (context, next) =>
        queue.DelayQueueContext.of(context).task.id === 'instead' ? of(queue.TaskOutcome.snooze('1h')) : next.handle(),
    };
    class Filter {
      catch(error) {
        return error instanceof RangeError ? queue.TaskOutcome.bury('out of range') : undefined;
      }
    }
    common.Catch()(Filter);
    const Handler = handler(
      class Handler {
        handle(payload, task) {
          assert.equal(payload.piped, true);
          assert.equal(task.id, payload.id);
          if (payload.id === 'throws') throw new RangeError();
        }
      },
      {
        decorators: [common.UseGuards(Guard), common.UseInterceptors(interceptor), common.UseFilters(Filter)],
        parameters: [queue.TaskPayload(pipe), queue.TaskContext()],
      },
    );
    const ids = ['good', 'guarded', 'refused', 'instead', 'throws'];
    const ends = await run(
      [Handler, { provide: 'NAME', useValue: 'guard of' }],
      ids.map((id) => ({ id })),
    );
    assert.deepEqual(ends, {
      good: 'completed',
      guarded: 'retries used up',
      refused: 'payload refused: one; two',
      instead: 'snoozed',
      throws: 'out of range',
    });
    assert.deepEqual([...new Set(journal)], ['guard of Handler.handle']);
  },

  async 'request-scoped, transient and application-wide'() {
    const AppGuard = provider(
      class AppGuard {
        constructor(tenant) {
          this.tenant = tenant;
        }

        canActivate() {
          journal.push(`guard of ${this.tenant.taskId}`);
          return true;
        }
      },
      { scope: Scope.REQUEST },
      Tenant,
    );
    const Handler = handler(
      class Handler {
        constructor(tenant) {
          this.tenant = tenant;
        }

        handle(payload) {
          journal.push(`${payload.id} by ${this.tenant.taskId}`);
        }
      },
      { dependencies: [Tenant], options: { scope: Scope.TRANSIENT } },
    );
    await run([Tenant, Handler, { provide: APP_GUARD, useClass: AppGuard }], [{ id: 'a' }, { id: 'b' }]);
    assert.deepEqual(
      journal.toSorted((a, b) => (a < b ? -1 : 1)),
      ['a by a', 'b by b', 'guard of a', 'guard of b'],
    );
  },

  async 'a guard whose scope Nest does not see is seen, or stops the boot'() {
    const Guard = provider(
      class Guard {
        constructor(tenant) {
          this.tenant = tenant;
        }

        canActivate() {
          journal.push(this.tenant.taskId);
          return true;
        }
      },
      undefined,
      Tenant,
    );
    const Handler = handler(
      class Handler {
        handle() {}
      },
      { decorators: [common.UseGuards(Guard)] },
    );
    const error = await run([Tenant, Handler], [{ id: 'a' }]).then(
      () => undefined,
      (reason) => reason,
    );
    if (error === undefined) assert.deepEqual(journal, ['a']);
    else assert.match(error.message, /Handler\.handle: is under Guard, which depends on something request-scoped/);
  },
};

async function main() {
  for (const [name, check] of Object.entries(checks)) {
    await check().catch((error) => {
      throw new Error(name, { cause: error });
    });
  }
  console.log(Object.keys(checks).length);
}

void main();
