/**
 * Boots and closes applications with the packed library, in every state in which a shutdown can come: `check-package.mjs` runs
 * it beside each version of NestJS. A CommonJS script, because most applications still are.
 */
require('reflect-metadata');
const assert = require('node:assert/strict');
const { spawn } = require('node:child_process');
const events = require('node:events');
const { mkdtempSync, rmSync } = require('node:fs');
const { createServer } = require('node:net');
const { tmpdir } = require('node:os');
const path = require('node:path');
const { setTimeout: elapse } = require('node:timers/promises');
const { Inject, Injectable, Module } = require('@nestjs/common');
const { NestFactory } = require('@nestjs/core');
const { Test } = require('@nestjs/testing');
const { Redis } = require('ioredis');
const {
  DelayQueueEvents,
  DelayQueueModule,
  DelayQueueProducer,
  DelayQueueRunner,
  getDelayQueueToken,
  OnDelayedTask,
} = require('nestjs-delay-queue');
const { DelayQueueTestingModule } = require('nestjs-delay-queue/testing');

/** Far above what a busy machine needs for a step that waits for nothing. */
const SLACK_MS = 10_000;
const SHUTDOWN_MS = 2_000;

/** An application with one handler, whose journal says what happened in which order. */
async function boot(run, queue = { embedded: true }) {
  const { App, journal } = application(run, queue);
  const app = await NestFactory.createApplicationContext(App, { logger: false });
  return { app, journal };
}

function application(run, queue) {
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
    imports: [
      'module' in queue
        ? queue
        : DelayQueueModule.forRoot({ shutdownTimeout: SHUTDOWN_MS, storeTimeout: 300, ...queue }),
    ],
    providers: [Handler, Database, Scheduler],
  })(App);
  return { App, journal };
}

/** A redis-server of this script's own, on a free port, with a folder of its own. */
async function startRedis() {
  const probe = createServer().listen(0, '127.0.0.1');
  await events.once(probe, 'listening');
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  const folder = mkdtempSync(path.join(tmpdir(), 'check-lifecycle-'));
  const args = ['--port', port, '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'no'];
  const server = spawn(process.env.REDIS_SERVER_BIN, args.map(String), { stdio: 'ignore' });
  const client = new Redis({ port, retryStrategy: () => 50, maxRetriesPerRequest: null }).on('error', () => undefined);
  await client.ping();
  const kill = async () => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const exited = events.once(server, 'exit');
    server.kill('SIGKILL');
    await exited;
  };
  const stop = async () => {
    client.disconnect();
    await kill();
    rmSync(folder, { recursive: true, force: true });
  };
  return { connection: `redis://127.0.0.1:${port}`, client, kill, stop };
}

async function withRedis(use) {
  const redis = await startRedis();
  try {
    await use(redis);
  } finally {
    await redis.stop();
  }
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

  async 'two queues, one started by hand'() {
    const ran = [];
    class Handler {
      onDefault() {
        ran.push('default');
      }
      onSecond() {
        ran.push('second');
      }
    }
    Injectable()(Handler);
    for (const [method, options] of Object.entries({ onDefault: {}, onSecond: { queue: 'second' } })) {
      OnDelayedTask('t', options)(
        Handler.prototype,
        method,
        Object.getOwnPropertyDescriptor(Handler.prototype, method),
      );
    }
    class App {}
    const queues = [{ embedded: true }, { name: 'second', embedded: true, autoStart: false }];
    Module({ imports: queues.map((queue) => DelayQueueModule.forRoot(queue)), providers: [Handler] })(App);
    const app = await NestFactory.createApplicationContext(App, { logger: false });
    for (const name of ['default', 'second']) {
      const done = new Promise((resolve) =>
        app.get(getDelayQueueToken(name, DelayQueueEvents)).of('completed').subscribe(resolve),
      );
      await app.get(getDelayQueueToken(name)).schedule('t', {}, { delay: 0 });
      if (name === 'second') await app.get(getDelayQueueToken(name, DelayQueueRunner)).start();
      await done;
    }
    assert.deepEqual(ran, ['default', 'second']);
    assert((await closing(app)) < SLACK_MS);
  },

  async 'on the clock of a test, while a handler never ends'() {
    const { App, journal } = application(() => new Promise(() => undefined), DelayQueueTestingModule.forRoot());
    const app = await NestFactory.createApplicationContext(App, { logger: false });
    const { clock, tasks } = DelayQueueTestingModule.of(app);
    await app.get(DelayQueueProducer).schedule('t', {}, { delay: '30 days', id: 'late' });
    await clock.advance('30 days', { waitForHandlers: false });
    assert.deepEqual(
      tasks.runs().map(({ id }) => id),
      ['early', 'late'],
    );
    assert((await closing(app)) < SLACK_MS);
    assert.deepEqual(journal.at(-1), 'database closed');
  },

  async 'put under test, without the Redis that it is set up for'() {
    const { App, journal } = application(() => elapse(50), { connection: undefined });
    const builder = Test.createTestingModule({ imports: [App] });
    const app = await DelayQueueTestingModule.override(builder).compile();
    await app.init();
    const { clock, tasks } = DelayQueueTestingModule.of(app);
    await app.get(DelayQueueProducer).schedule('t', {}, { delay: '1h', id: 'late' });
    await tasks.expectScheduled('t', { id: 'late', in: '1h' });
    await clock.advance('2h');
    assert.deepEqual(
      tasks.runs().map(({ id, outcome }) => [id, outcome]),
      [
        ['early', 'completed'],
        ['late', 'completed'],
      ],
    );
    assert((await closing(app)) < SLACK_MS);
    assert.deepEqual(journal.at(-1), 'database closed');
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

  async 'a claim is under way'() {
    await withRedis(async ({ connection, client }) => {
      const { app, journal } = await boot(() => undefined, { connection, prefix: 'p' });
      const ids = Array.from({ length: 200 }, (_, index) => `task-${index}`);
      const tasks = ids.map((id) => ({ payload: {}, delay: 0, id }));
      await app.get(DelayQueueProducer).scheduleMany('t', tasks);
      assert((await closing(app)) < SHUTDOWN_MS + SLACK_MS);
      const [due, leased] = [await client.zcard('{p:t:0}:due'), await client.zcard('{p:t:0}:leased')];
      const ended = journal.filter((line) => line === 'handler ended').length;
      assert.deepEqual([leased, due + ended], [0, ids.length + 1]);
    });
  },

  async 'a Redis that dies while a handler runs'() {
    await withRedis(async ({ connection, kill }) => {
      const { app, journal } = await boot(() => elapse(500), { connection });
      if (!journal.includes('handler started')) await started(app);
      await kill();
      assert((await closing(app)) < SHUTDOWN_MS + SLACK_MS);
      assert.deepEqual([...new Set(journal)].slice(-2), ['handler ended', 'database closed']);
    });
  },

  async 'a client of the application stays open'() {
    await withRedis(async ({ client }) => {
      const { app } = await boot(() => undefined, { connection: client });
      await closing(app);
      assert.equal(await client.ping(), 'PONG');
    });
  },

  async 'before the application was initialised'() {
    const { App, journal } = application(() => undefined, { embedded: true });
    const app = await NestFactory.create(App, { logger: false });
    await closing(app);
    // Hooks that Nest calls after all start nothing.
    await app.init();
    await elapse(100);
    assert(!journal.includes('handler started'));
  },

  async 'a Redis that was never there'() {
    const { app, journal } = await boot(() => undefined, { connection: 'redis://127.0.0.1:1' });
    assert((await closing(app)) < SHUTDOWN_MS + SLACK_MS);
    assert.deepEqual([...new Set(journal)], ['store_unavailable', 'application ready', 'database closed']);
  },
};

/** Those that start and kill a server; where tests use one by its URL alone, none may be there to start. */
const SERVER_STATES = [
  'a claim is under way',
  'a Redis that dies while a handler runs',
  'a client of the application stays open',
];

async function main() {
  const isPossible = ([name]) => process.env.REDIS_SERVER_BIN || !SERVER_STATES.includes(name);
  const possible = Object.entries(states).filter(isPossible);
  for (const [name, check] of possible) {
    await check().catch((error) => {
      throw new Error(`shutdown, ${name}`, { cause: error });
    });
  }
  console.log(`${possible.length} of ${Object.keys(states).length}`);
}

void main();
