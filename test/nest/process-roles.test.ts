import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import {
  type DelayedTask,
  type DelayQueueModuleOptions,
  DelayQueueRunner,
  InvalidArgumentError,
  OnDelayedTask,
  QueueClosedError,
} from 'nestjs-delay-queue';
import { RedisServer, type SharedRedis } from '../support/redis-server.js';
import { waitFor } from '../support/wait-for.js';
import { nextEvent } from './support/next-event.js';
import { TestApps } from './support/test-apps.js';

const apps = new TestApps();
let redis: SharedRedis;

beforeAll(async () => {
  redis = await RedisServer.shared();
}, 30_000);
afterEach(() => apps.closeAll(), 30_000);
afterAll(() => redis.release(), 30_000);

@Injectable()
class Handlers {
  readonly runs: string[] = [];
  hold: Promise<void> | null = null;

  @OnDelayedTask('a')
  async onA(_payload: unknown, task: DelayedTask): Promise<void> {
    this.runs.push(task.id);
    await this.hold;
  }

  @OnDelayedTask('b')
  onB(_payload: unknown, task: DelayedTask): void {
    this.runs.push(task.id);
  }
}

async function boot(prefix: string, options: DelayQueueModuleOptions = {}) {
  const queue = { connection: redis.url, prefix: `${redis.prefix}-${prefix}`, ...options };
  const made = await apps.boot({ queue, providers: [Handlers] });
  return { ...made, handlers: made.app.get(Handlers), runner: made.app.get(DelayQueueRunner) };
}

/** Resolves when a process has shown that it is at work: it ran a task of `b`. */
async function seenAtWork({ producer, events }: Awaited<ReturnType<typeof boot>>, id: string): Promise<void> {
  const completed = nextEvent(events, 'completed', id);
  await producer.schedule('b', {}, { delay: 0, id });
  await completed;
}

describe('consume: false', () => {
  it('a producer-only process schedules, runs no handler, and says which it has', async () => {
    const producing = await boot('producer', { consume: false });
    await producing.producer.schedule('a', {}, { delay: 0, id: 'a1' });
    expect(producing.runner.types).toEqual([]);
    expect(producing.log.matching('log', 'consume: false')).toEqual([
      expect.stringContaining("'a' by Handlers.onA, 'b' by Handlers.onB"),
    ]);
    const consuming = await boot('producer');
    await waitFor(() => consuming.handlers.runs.includes('a1'), { what: 'the process that consumes' });
    expect(producing.handlers.runs).toEqual([]);
    expect(await producing.producer.get('a', 'a1')).toBeNull();
  }, 30_000);

  it('two handlers of one type do not matter where none is run', async () => {
    @Injectable()
    class Other {
      @OnDelayedTask('a')
      onA(): void {}
    }
    const { log } = await apps.boot({ queue: { embedded: true, consume: false }, providers: [Handlers, Other] });
    expect(log.matching('log', 'Other.onA')).toHaveLength(1);
  });
});

describe('autoStart: false', () => {
  it('handlers wait for the start by hand, which may be called again', async () => {
    const { producer, runner, handlers, admin } = await boot('manual', { autoStart: false });
    await producer.schedule('a', {}, { delay: 0, id: 'a1' });
    expect(runner.started).toBe(false);
    expect(await admin.stats('a')).toMatchObject({ waiting: 1, overdue: 1 });
    expect(handlers.runs).toEqual([]);
    await Promise.all([runner.start(), runner.start()]);
    expect(runner.started).toBe(true);
    await waitFor(() => handlers.runs.length === 1, { what: 'the task that waited' });
    await runner.start();
  }, 30_000);

  it('a start that comes before the application is up waits for it', async () => {
    const journal: string[] = [];
    @Injectable()
    class Early implements OnModuleInit {
      constructor(private readonly runner: DelayQueueRunner) {}

      async onModuleInit(): Promise<void> {
        await this.runner.start();
        journal.push('asked');
      }

      onApplicationBootstrap(): void {
        journal.push('up');
      }

      @OnDelayedTask('c')
      onC(): void {
        journal.push('ran');
      }
    }
    const { app, producer } = await apps.create({ queue: { embedded: true, autoStart: false }, providers: [Early] });
    await producer.schedule('c', {}, { delay: 0 });
    await app.init();
    await waitFor(() => journal.includes('ran'), { what: 'the task' });
    expect(journal).toEqual(['asked', 'up', 'ran']);
  });

  it('a start that comes after the shutdown is refused', async () => {
    const { app, runner, handlers, producer } = await boot('late', { autoStart: false });
    await producer.schedule('a', {}, { delay: 0 });
    await app.close();
    await expect(runner.start()).rejects.toThrow(QueueClosedError);
    expect(runner.started).toBe(false);
    expect(handlers.runs).toEqual([]);
  }, 30_000);

  it('when a type is set up differently elsewhere, the start says so, nothing runs, and scheduling goes on', async () => {
    await boot('differs', { consume: false, types: { a: { partitions: 4 } } });
    const { runner, producer, handlers } = await boot('differs', { autoStart: false });
    await producer.schedule('b', {}, { delay: 0 });
    await expect(runner.start()).rejects.toMatchObject({ code: 'configuration', field: 'types.a.partitions' });
    expect(runner.started).toBe(false);
    expect(await producer.schedule('b', {}, { delay: '1h' })).toMatchObject({ status: 'created' });
    expect(handlers.runs.length).toBeLessThanOrEqual(1);
  }, 30_000);
});

describe('DelayQueueRunner.pause', () => {
  it('leaves a type to the other processes, and takes part again after resume', async () => {
    const first = await boot('pause');
    const second = await boot('pause');
    first.runner.pause('a');
    expect(first.runner.pausedTypes).toEqual(['a']);
    for (let task = 0; task < 20; task++) await first.producer.schedule('a', {}, { delay: 0, id: `p${task}` });
    await waitFor(() => second.handlers.runs.length === 20, { what: 'the other process' });
    // The type that is not paused goes on.
    const completed = waitFor(() => [first, second].some(({ handlers }) => handlers.runs.includes('b1')), {
      what: 'b',
    });
    await first.producer.schedule('b', {}, { delay: 0, id: 'b1' });
    await completed;
    expect(first.handlers.runs.filter((id) => id.startsWith('p'))).toEqual([]);
    await second.app.close();
    await first.producer.schedule('a', {}, { delay: 0, id: 'alone' });
    await seenAtWork(first, 'b2');
    expect(first.handlers.runs).not.toContain('alone');
    first.runner.resume('a');
    await waitFor(() => first.handlers.runs.includes('alone'), { what: 'the task that waited for the resume' });
    expect(first.runner.pausedTypes).toEqual([]);
  }, 30_000);

  it('lets handlers that run go on, and can pause everything before the start', async () => {
    const { runner, producer, handlers, events } = await boot('pause-all', { autoStart: false });
    let release = (): void => undefined;
    handlers.hold = new Promise((resolve) => (release = resolve));
    runner.pause();
    expect(runner.pausedTypes.toSorted()).toEqual(['a', 'b']);
    await producer.schedule('a', {}, { delay: 0, id: 'a1' });
    await runner.start();
    runner.resume('a');
    await waitFor(() => handlers.runs.includes('a1'), { what: 'a1' });
    runner.pause();
    const completed = nextEvent(events, 'completed', 'a1');
    release();
    await completed;
    await producer.schedule('b', {}, { delay: 0, id: 'b1' });
    runner.resume();
    await waitFor(() => handlers.runs.includes('b1'), { what: 'b1' });
    expect(handlers.runs).toEqual(['a1', 'b1']);
  }, 30_000);

  it('refuses a type that this process does not run', async () => {
    const { runner } = await boot('pause-unknown');
    for (const type of ['c', '', 7]) {
      expect(() => runner.pause(type as string)).toThrow(InvalidArgumentError);
      expect(() => runner.resume(type as string)).toThrow(InvalidArgumentError);
    }
  }, 30_000);
});
