import { afterEach, describe, expect, it } from '@jest/globals';
import {
  Injectable,
  type INestApplication,
  Module,
  type OnApplicationBootstrap,
  type OnModuleInit,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  type DelayedTask,
  DelayQueueModule,
  DelayQueueProducer,
  OnDelayedTask,
  QueueClosedError,
} from 'nestjs-delay-queue';
import { waitFor } from '../support/wait-for.js';
import { nextEvent } from './support/next-event.js';
import { TestApps } from './support/test-apps.js';

const TYPE = 'order_timeout';
const apps = new TestApps();
afterEach(() => apps.closeAll());

@Injectable()
class Orders {
  readonly signals: AbortSignal[] = [];

  @OnDelayedTask(TYPE)
  onTimeout(_payload: unknown, task: DelayedTask): Promise<never> {
    this.signals.push(task.signal);
    return new Promise(() => undefined);
  }
}

describe('app.close()', () => {
  it('C37 may be called twice, also at the same time', async () => {
    const { app, producer } = await apps.boot({ providers: [Orders] });
    await Promise.all([app.close(), app.close()]);
    await app.close();
    await expect(producer.schedule(TYPE, {}, { delay: 1 })).rejects.toThrow(QueueClosedError);
  });

  it('C37 may be called before the application was initialised', async () => {
    const { app, producer } = await apps.create({ providers: [Orders] });
    await app.close();
    await expect(producer.schedule(TYPE, {}, { delay: 1 })).rejects.toThrow(QueueClosedError);
    // Hooks that Nest calls after all do nothing.
    await app.init();
    await expect(producer.schedule(TYPE, {}, { delay: 1 })).rejects.toThrow(QueueClosedError);
  });

  it('C37 aborts a handler that never ends, and returns within the shutdown time', async () => {
    const queue = { embedded: true, shutdownTimeout: '2s' } as const;
    const { app, producer, events, log } = await apps.boot({ queue, providers: [Orders] });
    const started = nextEvent(events, 'started', 'endless');
    const released = nextEvent(events, 'released', 'endless');
    await producer.schedule(TYPE, {}, { delay: 0, id: 'endless' });
    await started;
    const beganAt = performance.now();
    await app.close();
    // Three times the shutdown time: a bound that a slow machine keeps too.
    expect(performance.now() - beganAt).toBeLessThan(6_000);
    expect(app.get(Orders).signals[0]?.aborted).toBe(true);
    await released;
    expect(log.lines.filter((line) => line.startsWith('error: '))).toEqual([]);
  }, 30_000);

  it('takes tasks until the last provider is destroyed, and none after it', async () => {
    const results: string[] = [];
    @Injectable()
    class Late {
      constructor(private readonly producer: DelayQueueProducer) {}

      async onModuleDestroy(): Promise<void> {
        results.push((await this.producer.schedule(TYPE, {}, { delay: '1h' })).status);
      }

      async beforeApplicationShutdown(): Promise<void> {
        results.push((await this.producer.schedule(TYPE, {}, { delay: '1h' })).status);
      }

      async onApplicationShutdown(): Promise<void> {
        results.push(
          await this.producer.schedule(TYPE, {}, { delay: '1h' }).then(String, (error: Error) => error.name),
        );
      }
    }
    const { app } = await apps.boot({ providers: [Late] });
    await app.close();
    expect(results).toEqual(['created', 'created', 'QueueClosedError']);
  });
});

describe('app.close() while an HTTP application boots', () => {
  /** Closes the application in the middle of one of its own hooks, and has a task waiting for a handler. */
  function closing(hook: 'onModuleInit' | 'onApplicationBootstrap', runs: string[]) {
    const state: { app?: INestApplication; closed?: Promise<void> } = {};
    @Injectable()
    class Closer implements OnModuleInit, OnApplicationBootstrap {
      constructor(private readonly producer: DelayQueueProducer) {}

      async onModuleInit(): Promise<void> {
        await this.producer.schedule(TYPE, {}, { delay: 0, id: 'overdue' });
        if (hook === 'onModuleInit') await this.close();
      }

      async onApplicationBootstrap(): Promise<void> {
        if (hook === 'onApplicationBootstrap') await this.close();
      }

      @OnDelayedTask(TYPE)
      onTimeout(): void {
        runs.push('handler');
      }

      private async close(): Promise<void> {
        await state.app?.close();
        runs.push('closed');
      }
    }
    @Module({ imports: [DelayQueueModule.forRoot({ embedded: true })], providers: [Closer] })
    class AppModule {}
    return { AppModule, state };
  }

  it('C37 gives up on a Redis that was never up', async () => {
    // Nobody listens on port 1.
    const queue = { connection: 'redis://127.0.0.1:1', storeTimeout: '20s' } as const;
    const { app, log, producer } = await apps.createHttp({ queue, providers: [Orders] });
    const booting = app.init();
    await waitFor(() => log.matching('warn', 'ECONNREFUSED').length > 0, { what: 'the first failed connection' });
    const beganAt = performance.now();
    await app.close();
    await booting;
    // Well below the 20 s that the store would be waited for.
    expect(performance.now() - beganAt).toBeLessThan(10_000);
    await expect(producer.schedule(TYPE, {}, { delay: 1 })).rejects.toThrow(QueueClosedError);
    expect(log.matching('error', '')).toEqual([]);
  }, 30_000);

  it.each(['onModuleInit', 'onApplicationBootstrap'] as const)(
    'C37 is final when it comes in %s: nothing starts after it',
    async (hook) => {
      const runs: string[] = [];
      const { AppModule, state } = closing(hook, runs);
      const app = await NestFactory.create(AppModule, { logger: false });
      state.app = app;
      await app.init();
      expect(runs).toEqual(['closed']);
      await expect(app.get(DelayQueueProducer).schedule(TYPE, {}, { delay: 1 })).rejects.toThrow(QueueClosedError);
      await app.close();
    },
  );
});
