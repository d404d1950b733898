import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Injectable, type ModuleMetadata, type Type } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { Redis } from 'ioredis';
import {
  ConfigurationError,
  type DelayedTask,
  DelayQueueEvents,
  DelayQueueHealth,
  DelayQueueModule,
  DelayQueueProducer,
  getDelayQueueToken,
  InjectDelayQueue,
  OnDelayedTask,
  QueueClosedError,
  StoreUnavailableError,
} from 'nestjs-delay-queue';
import { RedisServer } from '../support/redis-server.js';
import { waitFor } from '../support/wait-for.js';
import { CapturedLog } from './support/captured-log.js';
import { nextEvent } from './support/next-event.js';

const TYPE = 't';
let shopServer: RedisServer;
let reportsServer: RedisServer;
let app: TestingModule | undefined;

beforeAll(async () => {
  [shopServer, reportsServer] = await Promise.all([RedisServer.start(), RedisServer.start()]);
}, 60_000);

afterEach(async () => {
  await app?.close();
  app = undefined;
}, 30_000);

afterAll(async () => {
  await Promise.all([shopServer.stop(), reportsServer.stop()]);
}, 30_000);

@Injectable()
class Handlers {
  readonly runs: string[] = [];

  constructor(
    readonly shop: DelayQueueProducer,
    @InjectDelayQueue('reports') readonly reports: DelayQueueProducer,
  ) {}

  @OnDelayedTask(TYPE)
  onShop(_payload: unknown, task: DelayedTask): void {
    this.runs.push(`shop ${task.id}`);
  }

  @OnDelayedTask(TYPE, { queue: 'reports' })
  onReports(_payload: unknown, task: DelayedTask): void {
    this.runs.push(`reports ${task.id}`);
  }
}

function modules(): Required<Pick<ModuleMetadata, 'imports' | 'providers'>> {
  return {
    imports: [
      DelayQueueModule.forRoot({ connection: shopServer.url, prefix: 'shop', storeTimeout: '500ms' }),
      // One prefix on two servers is no clash.
      DelayQueueModule.forRoot({
        name: 'reports',
        connection: reportsServer.url,
        prefix: 'shop',
        storeTimeout: '500ms',
      }),
    ],
    providers: [Handlers],
  };
}

async function boot(metadata = modules(), log = new CapturedLog()): Promise<TestingModule> {
  app = await Test.createTestingModule(metadata).setLogger(log).compile();
  return app.init();
}

async function keysOf(server: RedisServer): Promise<readonly string[]> {
  const client = new Redis(server.url);
  try {
    return (await client.keys('*')).toSorted();
  } finally {
    client.disconnect();
  }
}

async function flush(server: RedisServer): Promise<void> {
  const client = new Redis(server.url);
  try {
    await client.flushall();
  } finally {
    client.disconnect();
  }
}

const partOf = <Part>(booted: TestingModule, name: string, part: Type<Part>): Part =>
  booted.get<Part>(getDelayQueueToken<Part>(name, part));

describe('two Redis servers in one application', () => {
  it('each keeps the tasks of its own queue, and nothing of the other', async () => {
    const booted = await boot();
    const { shop, reports, runs } = booted.get(Handlers);
    await shop.schedule(TYPE, {}, { delay: '1h', id: 'waits' });
    const completed = [
      nextEvent(partOf(booted, 'default', DelayQueueEvents), 'completed', 'a'),
      nextEvent(partOf(booted, 'reports', DelayQueueEvents), 'completed', 'a'),
    ];
    await reports.schedule(TYPE, {}, { delay: 20, id: 'a' });
    await shop.schedule(TYPE, {}, { delay: 20, id: 'a' });
    await Promise.all(completed);
    expect(runs.toSorted()).toEqual(['reports a', 'shop a']);
    expect(await keysOf(shopServer)).toContain('{shop:t:0}:due');
    expect(await keysOf(reportsServer)).not.toContain('{shop:t:0}:due');
    expect(await reports.get(TYPE, 'waits')).toBeNull();
    expect(await shop.cancel(TYPE, 'waits')).toMatchObject({ status: 'cancelled' });
  }, 30_000);

  it('one goes on while the other is away, and the health reports tell them apart', async () => {
    const log = new CapturedLog();
    const booted = await boot(modules(), log);
    const { shop, reports, runs } = booted.get(Handlers);
    await reports.schedule(TYPE, {}, { delay: 0, id: 'before' });
    await waitFor(() => runs.includes('reports before'), { what: 'the first run' });
    reportsServer.pause();
    try {
      await expect(reports.schedule(TYPE, {}, { delay: 0 })).rejects.toThrow(StoreUnavailableError);
      expect(partOf(booted, 'reports', DelayQueueHealth).check().error).not.toBeNull();
      await shop.schedule(TYPE, {}, { delay: 0, id: 'meanwhile' });
      await waitFor(() => runs.includes('shop meanwhile'), { what: 'the queue that is not affected' });
      expect(partOf(booted, 'default', DelayQueueHealth).check()).toMatchObject({ status: 'up', error: null });
    } finally {
      reportsServer.resume();
    }
    await waitFor(
      async () => (await reports.schedule(TYPE, {}, { delay: 0, id: 'after' }).catch(() => null)) !== null,
      { deadlineMs: 20_000, what: 'the server to be back' },
    );
    await waitFor(() => runs.includes('reports after'), { deadlineMs: 20_000, what: 'the run after the outage' });
  }, 60_000);

  it('when the handlers of one cannot start, those of the other are stopped with it', async () => {
    await flush(reportsServer);
    const earlier = await Test.createTestingModule({
      imports: [
        DelayQueueModule.forRoot({
          connection: reportsServer.url,
          prefix: 'shop',
          types: { [TYPE]: { partitions: 4 } },
        }),
      ],
    }).compile();
    await earlier.init();
    await earlier.close();
    const compiled = await Test.createTestingModule(modules()).setLogger(new CapturedLog()).compile();
    app = compiled;
    const error: unknown = await compiled.init().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({ field: `reports.types.${TYPE}.partitions` });
    const { shop } = compiled.get(Handlers);
    await expect(shop.schedule(TYPE, {}, { delay: 0 })).rejects.toThrow(QueueClosedError);
  }, 30_000);
});
