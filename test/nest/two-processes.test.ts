import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Injectable, type OnApplicationBootstrap, type OnModuleInit, type Type } from '@nestjs/common';
import {
  ConfigurationError,
  type DelayedTask,
  OnDelayedTask,
  type TaskType,
  type TaskTypeOptions,
} from 'nestjs-delay-queue';
import { Redis } from 'ioredis';
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

const ids: string[] = [];

/** A handler of one type that writes down what it ran. */
function handlerOf(type: string): Type {
  @Injectable()
  class Handler {
    @OnDelayedTask(type as TaskType)
    handle(_payload: unknown, task: DelayedTask): void {
      ids.push(task.id);
    }
  }
  return Handler;
}

/** An application on the shared server, as one process of a deployment. */
function boot(prefix: string, handlers: readonly Type[], types: Record<string, TaskTypeOptions> = {}) {
  const queue = { connection: redis.url, prefix: `${redis.prefix}-${prefix}`, types };
  return apps.boot({ queue, providers: [...handlers] });
}

describe('applications on one Redis', () => {
  it('a task scheduled by a producer-only application runs in the one with the handler', async () => {
    const producing = await boot('plain', []);
    const consuming = await boot('plain', [handlerOf('a')]);
    const completed = nextEvent(consuming.events, 'completed', 'a1');
    await producing.producer.schedule('a', { orderId: '1' }, { delay: 20, id: 'a1' });
    expect(await completed).toMatchObject({ type: 'a', deliveries: 1 });
    expect(await producing.producer.get('a', 'a1')).toBeNull();
  }, 30_000);

  it('C42 nobody claims a type that it has no handler for, and a task of it waits untouched until somebody has', async () => {
    ids.length = 0;
    const first = await boot('c42', [handlerOf('a')]);
    const second = await boot('c42', [handlerOf('b')]);
    await first.producer.schedule('c', {}, { delay: 0, id: 'c1' });
    for (const [app, type, id] of [
      [first, 'a', 'a1'],
      [second, 'b', 'b1'],
    ] as const) {
      const completed = nextEvent(app.events, 'completed', id);
      // Scheduled by the other application, so that both are seen to be at work.
      await (app === first ? second : first).producer.schedule(type, {}, { delay: 0, id });
      await completed;
    }
    expect(await second.admin.stats('c')).toMatchObject({ waiting: 1, overdue: 1, running: 0 });
    expect(await second.producer.get('c', 'c1')).toMatchObject({ state: 'waiting', deliveries: 0, failures: 0 });
    expect(ids.toSorted()).toEqual(['a1', 'b1']);

    const deployed = await boot('c42', [handlerOf('c')]);
    await waitFor(() => ids.includes('c1'), { deadlineMs: 10_000, what: 'the task that had waited' });
    expect(await deployed.admin.stats('c')).toMatchObject({ waiting: 0 });
  }, 30_000);

  it('C57 different partitions, or another dedupe window, fail the boot and name both values', async () => {
    await boot('c57', [], { a: { partitions: 4, dedupeFor: '1h' } });
    const refusal = async (handlers: readonly Type[], settings: TaskTypeOptions) => {
      const error: unknown = await boot('c57', handlers, { a: settings }).catch((reason: unknown) => reason);
      if (!(error instanceof ConfigurationError)) throw new Error('expected a ConfigurationError', { cause: error });
      return error;
    };
    const partitions = await refusal([], { partitions: 2, dedupeFor: '1h' });
    expect(partitions.field).toBe('types.a.partitions');
    expect(partitions.message).toMatch(/\b4\b.*\b2\b/);
    const dedupe = await refusal([handlerOf('a')], { partitions: 4, dedupeFor: '2h' });
    expect(dedupe.field).toBe('types.a.dedupeFor');
    expect(dedupe.message).toContain('3600000');
    expect(dedupe.message).toContain('7200000');
    await boot('c57', [handlerOf('a')], { a: { partitions: 4, dedupeFor: '1h' } });
  }, 30_000);

  it('C57 a consumer that does not name the type differs from one that does, and says so', async () => {
    await boot('c57b', [], { a: { partitions: 4 } });
    const error: unknown = await boot('c57b', [handlerOf('a')]).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({ field: 'types.a.partitions', message: expect.stringMatching(/\b4\b.*\b1\b/) });
  }, 30_000);

  it('C39 a task left over from an earlier process waits for the slowest hooks of the next one', async () => {
    const earlier = await boot('c39', []);
    await earlier.producer.schedule('a', {}, { delay: 0, id: 'overdue' });
    await earlier.app.close();
    const journal: string[] = [];
    const hookMs = 200;
    @Injectable()
    class Slow implements OnModuleInit, OnApplicationBootstrap {
      async onModuleInit(): Promise<void> {
        await new Promise((resolve) => setTimeout(resolve, hookMs));
        journal.push('initialised');
      }

      async onApplicationBootstrap(): Promise<void> {
        await new Promise((resolve) => setTimeout(resolve, hookMs));
        journal.push('bootstrapped');
      }

      @OnDelayedTask('a' as TaskType)
      handle(): void {
        journal.push('handler');
      }
    }
    await boot('c39', [Slow]);
    await waitFor(() => journal.includes('handler'), { deadlineMs: 10_000, what: 'the overdue task' });
    expect(journal).toEqual(['initialised', 'bootstrapped', 'handler']);
  }, 30_000);

  it('C37 a client that the application passed in stays open', async () => {
    const client = new Redis(redis.url);
    try {
      const queue = { connection: client, prefix: `${redis.prefix}-client` };
      const { app, producer } = await apps.boot({ queue, providers: [handlerOf('a')] });
      await producer.schedule('a', {}, { delay: '1h', id: 'x' });
      await app.close();
      expect(await client.ping()).toBe('PONG');
    } finally {
      client.disconnect();
    }
  }, 30_000);
});
