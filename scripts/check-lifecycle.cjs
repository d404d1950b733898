/**
 * Boots and closes applications with the packed library, in every state in which a shutdown can come: `check-package.mjs` runs
 * it beside each version of NestJS. A CommonJS script, because most applications still are.
 */
require('reflect-metadata');
const assert = require('node:assert/strict');
const { Inject, Injectable, Module } = require('@nestjs/common');
const { NestFactory } = require('@nestjs/core');
const { DelayQueueEvents, DelayQueueModule, DelayQueueProducer, OnDelayedTask } = require('nestjs-delay-queue');

/** Far above what a busy machine needs for a step that waits for nothing. */
const SLACK_MS = 10_000;
const SHUTDOWN_MS = 2_000;

/** An application with one handler, whose journal says what happened in which order. */
async function boot(run, queue = { embedded: true }) {
  const journal = [];
  class Handler {
    async handle(payload, task) {
      journal.push('handler started');
      await run(payload, task);
      journal.push('handler ended');
    }
  }
  Injectable()(Handler);
  const descriptor = Object.getOwnPropertyDescriptor(Handler.prototype, 'handle');
  OnDelayedTask('t', { maxRetries: 0 })(Handler.prototype, 'handle', descriptor);

  class Database {
    async onApplicationBootstrap() {
      await new Promise((resolve) => setTimeout(resolve, 50));
      journal.push('application ready');
    }

    onModuleDestroy() {
      journal.push('database closed');
    }
  }
  Injectable()(Database);

  class Scheduler {
    constructor(producer) {
      this.producer = producer;
    }

    // Overdue before the application is ready.
    async onModuleInit() {
      await this.producer.schedule('t', {}, { delay: 0, id: 'early' }).catch((error) => journal.push(error.code));
    }
  }
  Injectable()(Scheduler);
  Inject(DelayQueueProducer)(Scheduler, undefined, 0);

  class App {}
  Module({
    imports: [DelayQueueModule.forRoot({ shutdownTimeout: SHUTDOWN_MS, storeTimeout: 300, ...queue })],
    providers: [Handler, Database, Scheduler],
  })(App);
  const app = await NestFactory.createApplicationContext(App, { logger: false });
  return { app, journal };
}

/** Closes twice at once, which makes Nest call the hooks twice, and says how long it took. */
async function closing(app) {
  const startedMs = performance.now();
  await Promise.all([app.close(), app.close()]);
  return performance.now() - startedMs;
}

function started(app) {
  return new Promise((resolve) => app.get(DelayQueueEvents).of('started').subscribe(resolve));
}

const states = {
  async 'starts last, drains first, while a handler runs'() {
    let end;
    const work = new Promise((resolve) => (end = resolve));
    const { app, journal } = await boot(() => work);
    if (!journal.includes('handler started')) await started(app);
    const closed = closing(app);
    setTimeout(() => end(), 100);
    await closed;
    const steps = ['application ready', 'handler started', 'handler ended', 'database closed'];
    assert.deepEqual([...new Set(journal)], steps);
  },

  async idle() {
    const { app } = await boot(() => undefined);
    assert((await closing(app)) < SLACK_MS);
  },

  async 'a handler that never ends'() {
    const { app, journal } = await boot(() => new Promise(() => undefined));
    if (!journal.includes('handler started')) await started(app);
    assert((await closing(app)) < SHUTDOWN_MS + SLACK_MS);
    assert.deepEqual(journal.at(-1), 'database closed');
  },

  async 'a Redis that was never there'() {
    const { app, journal } = await boot(() => undefined, { connection: 'redis://127.0.0.1:1' });
    assert((await closing(app)) < SHUTDOWN_MS + SLACK_MS);
    assert.deepEqual([...new Set(journal)], ['store_unavailable', 'application ready', 'database closed']);
  },
};

async function main() {
  for (const [name, check] of Object.entries(states)) {
    await check().catch((error) => {
      throw new Error(`shutdown, ${name}`, { cause: error });
    });
  }
  console.log(Object.keys(states).length);
}

void main();
