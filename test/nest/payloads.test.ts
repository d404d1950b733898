import 'reflect-metadata';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type DynamicModule, Injectable, Module, type OnModuleInit, type Type } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Type as OfType } from 'class-transformer';
import { IsDate, IsString } from 'class-validator';
import { Redis } from 'ioredis';
import {
  ConfigurationError,
  DelayQueueModule,
  DelayQueueProducer,
  InvalidPayloadError,
  OnDelayedTask,
  type TaskType,
  type TypesOptions,
} from 'nestjs-delay-queue';
import { z } from 'zod';
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

const TYPE = 'reminder' as TaskType;

class Reminder {
  @IsString()
  to!: string;

  @OfType(() => Date)
  @IsDate()
  at!: Date;
}

/** A handler that keeps the payloads it was given. */
function handlerInto(payloads: unknown[]): Type {
  @Injectable()
  class Handler {
    @OnDelayedTask(TYPE)
    handle(payload: unknown): void {
      payloads.push(payload);
    }
  }
  return Handler;
}

/** A module of a feature that brings the settings of its own types along. */
function featureModule(types: TypesOptions, providers: readonly Type[] = []): DynamicModule {
  @Module({})
  class RemindersModule {}
  return { module: RemindersModule, imports: [DelayQueueModule.forFeature({ types })], providers: [...providers] };
}

/** An application on the shared server, as one process of a deployment. */
function boot(prefix: string, imports: readonly DynamicModule[]) {
  return apps.boot({ queue: { connection: redis.url, prefix: `${redis.prefix}-${prefix}` }, imports: [...imports] });
}

describe('the schema of a type', () => {
  it('holds in a process that only schedules, when it imports the feature', async () => {
    const { producer, admin } = await boot('producer-only', [featureModule({ [TYPE]: { schema: Reminder } })]);
    const refused = producer.schedule(TYPE, { to: 7, at: 'soon' }, { delay: '1m', id: 'a' });
    await expect(refused).rejects.toThrow(InvalidPayloadError);
    await expect(refused).rejects.toMatchObject({
      code: 'invalid_payload',
      field: 'payload.to',
      issues: [
        { path: 'payload.to', message: 'to must be a string' },
        { path: 'payload.at', message: 'at must be a Date instance' },
      ],
    });
    expect(await producer.get(TYPE, 'a')).toBeNull();
    expect(await admin.stats(TYPE)).toMatchObject({ waiting: 0 });
  });

  it('makes of the stored text what the handler takes: here an instance of a class', async () => {
    const payloads: unknown[] = [];
    const feature = featureModule({ [TYPE]: { schema: Reminder } }, [handlerInto(payloads)]);
    const { producer, events } = await boot('class', [feature]);
    const completed = nextEvent(events, 'completed', 'a');
    await producer.schedule(TYPE, { to: 'x', at: '2025-01-01T00:00:00.000Z' }, { delay: 0, id: 'a' });
    await completed;
    expect(payloads).toEqual([{ to: 'x', at: new Date('2025-01-01') }]);
    expect(payloads[0]).toBeInstanceOf(Reminder);
  });

  it('costs a task of version 1 no bytes, and makes a dead letter of what another process has let through', async () => {
    const lax = await boot('lax', []);
    await lax.producer.schedule(TYPE, { to: 7 }, { delay: 0, id: 'a' });
    const client = new Redis(redis.url);
    const stored = await client.hget(`{${redis.prefix}-lax:${TYPE}:0}:task`, 'a');
    await client.quit();
    expect(stored).toMatch(/^\[1,\{"to":7\},"[0-9a-z]+"\]$/);

    const payloads: unknown[] = [];
    const schema = z.object({ to: z.string('must be a text') });
    const strict = await boot('lax', [featureModule({ [TYPE]: { schema } }, [handlerInto(payloads)])]);
    await waitFor(async () => (await strict.admin.stats(TYPE)).dead === 1, {
      deadlineMs: 20_000,
      what: 'the dead letter',
    });
    expect((await strict.admin.listDead(TYPE)).items).toMatchObject([
      { id: 'a', reason: 'invalid payload: payload.to: must be a text', failures: 0 },
    ]);
    expect(payloads).toEqual([]);
  });
});

describe('the version of a type', () => {
  const upcast = { 1: (old: { to: string }) => ({ ...old, language: 'en' }) };

  it('brings up to date what an older process has scheduled, a dead letter too', async () => {
    const old = await boot('older', []);
    await old.producer.schedule(TYPE, { to: 'x' }, { delay: 0, id: 'a' });
    const hasty = await boot('older', [featureModule({ [TYPE]: { version: 2 } }, [handlerInto([])])]);
    await waitFor(async () => (await hasty.admin.stats(TYPE)).dead === 1, {
      deadlineMs: 20_000,
      what: 'the dead letter',
    });
    expect(await hasty.producer.get(TYPE, 'a')).toMatchObject({
      version: 1,
      reason: 'there is no upcast from payload version 1 to 2',
    });
    await hasty.app.close();

    const payloads: unknown[] = [];
    const mended = await boot('older', [featureModule({ [TYPE]: { version: 2, upcast } }, [handlerInto(payloads)])]);
    const completed = nextEvent(mended.events, 'completed', 'a');
    await mended.admin.redrive(TYPE, 'a');
    await completed;
    expect(payloads).toEqual([{ to: 'x', language: 'en' }]);
  });

  it('while a release rolls out: the old process lets newer tasks wait, the new one takes both', async () => {
    const byOld: unknown[] = [];
    const old = await boot('rollout', [featureModule({ [TYPE]: { onUnknownVersion: 'wait' } }, [handlerInto(byOld)])]);
    const deployed = await boot('rollout', [featureModule({ [TYPE]: { version: 2, upcast } })]);
    const waits = nextEvent(old.events, 'version unknown', 'new');
    await deployed.producer.schedule(TYPE, { to: 'y', language: 'de' }, { delay: 0, id: 'new' });
    expect(await waits).toMatchObject({ version: 2, failures: 0 });
    await old.producer.schedule(TYPE, { to: 'x' }, { delay: '1h', id: 'old' });
    await old.app.close();

    const payloads: unknown[] = [];
    const handler = handlerInto(payloads);
    const taking = await boot('rollout', [featureModule({ [TYPE]: { version: 2, upcast } }, [handler])]);
    const both = Promise.all(['old', 'new'].map((id) => nextEvent(taking.events, 'completed', id)));
    await taking.producer.runNow(TYPE, 'old');
    await both;
    expect(byOld).toEqual([]);
    expect(new Set(payloads)).toEqual(
      new Set([
        { to: 'x', language: 'en' },
        { to: 'y', language: 'de' },
      ]),
    );
  });
});

describe('forFeature', () => {
  const dynamic = (root: Parameters<typeof DelayQueueModule.forRoot>[0], ...features: DynamicModule[]) =>
    Test.createTestingModule({ imports: [...features, DelayQueueModule.forRoot({ embedded: true, ...root })] });

  it('is there before any provider can schedule, in whatever order the modules stand', async () => {
    @Injectable()
    class Eager implements OnModuleInit {
      constructor(private readonly producer: DelayQueueProducer) {}

      async onModuleInit(): Promise<void> {
        await this.producer.schedule(TYPE, {}, { delay: '1m', id: 'a' });
      }
    }
    const feature = featureModule({ [TYPE]: { partitions: 7, version: 3 } }, [Eager]);
    const { app, admin, producer } = await apps.compile(dynamic({}, feature));
    await app.init();
    expect((await admin.stats(TYPE)).perPartition).toHaveLength(7);
    expect(await producer.get(TYPE, 'a')).toMatchObject({ version: 3 });
  });

  it('does not need the queue to be global', async () => {
    const { app, admin } = await apps.compile(
      dynamic({ isGlobal: false }, featureModule({ [TYPE]: { partitions: 3 } })),
    );
    await app.init();
    expect((await admin.stats(TYPE)).perPartition).toHaveLength(3);
  });

  it('adds to what the root says about a type, and may repeat it', async () => {
    const root = { types: { [TYPE]: { partitions: 3 } } };
    const feature = featureModule({ [TYPE]: { partitions: 3, version: 2 } });
    const { app, producer, admin } = await apps.compile(dynamic(root, feature));
    await app.init();
    await producer.schedule(TYPE, {}, { delay: '1m', id: 'a' });
    expect(await producer.get(TYPE, 'a')).toMatchObject({ version: 2 });
    expect((await admin.stats(TYPE)).perPartition).toHaveLength(3);
  });

  const refusal = async (testing: ReturnType<typeof dynamic>): Promise<ConfigurationError> => {
    const error: unknown = await apps.compile(testing).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (error instanceof ConfigurationError) return error;
    throw new Error('expected a ConfigurationError', { cause: error });
  };

  it('fails the boot, and names both places, when they contradict each other', async () => {
    @Module({ imports: [DelayQueueModule.forFeature({ types: { [TYPE]: { partitions: 8 } } })] })
    class BillingModule {}
    const withRoot = await refusal(dynamic({ types: { [TYPE]: { partitions: 4 } } }, { module: BillingModule }));
    expect(withRoot).toMatchObject({ field: `forFeature(BillingModule).types.${TYPE}.partitions` });
    expect(withRoot.message).toContain('is 4 in forRoot and 8 in forFeature of BillingModule');
    const reminders = featureModule({ [TYPE]: { partitions: 2 } });
    const { message } = await refusal(dynamic({}, reminders, { module: BillingModule }));
    expect(message).toMatch(/is [28] in forFeature of \w+Module and [28] in forFeature of \w+Module/);
    for (const name of ['BillingModule', 'RemindersModule']) expect(message).toContain(name);
  });

  it.each<[object, string]>([
    [{ partition: 2 }, 'partition'],
    [{ schema: {} }, 'schema'],
    [{ schema: class Bare {} }, 'schema'],
    [{ upcast: { 1: String } }, 'upcast.1'],
  ])('fails the boot with the path of a bad option: %j', async (options, option) => {
    const { field } = await refusal(dynamic({}, featureModule({ [TYPE]: options })));
    expect(field).toBe(`forFeature(RemindersModule).types.${TYPE}.${option}`);
  });

  it.each<[unknown]>([[undefined], [null], [{}], [{ types: null }], [{ types: 'reminder' }]])(
    'refuses the argument %j where it is called',
    (argument) => {
      const call = () => DelayQueueModule.forFeature(argument as { types: TypesOptions });
      expect(call).toThrow(expect.objectContaining({ code: 'configuration', field: 'forFeature' }));
    },
  );
});
