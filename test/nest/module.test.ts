import { afterEach, describe, expect, it } from '@jest/globals';
import { Injectable, Module, type ModuleMetadata } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import {
  DELAYED_TASK,
  DelayQueueAdmin,
  DelayQueueEvents,
  DelayQueueHealth,
  DelayQueueModule,
  type DelayQueueOptionsFactory,
  DelayQueueProducer,
  DelayQueueRunner,
  IdempotencyService,
  OnDelayedTask,
} from 'nestjs-delay-queue';
import { nextEvent } from './support/next-event.js';
import { TestApps } from './support/test-apps.js';

const apps = new TestApps();
afterEach(() => apps.closeAll());

@Injectable()
class Options implements DelayQueueOptionsFactory {
  createDelayQueueOptions() {
    return { embedded: true, types: { order_timeout: { partitions: 3 } } };
  }
}

@Module({ providers: [Options], exports: [Options] })
class ConfigModule {}

@Injectable()
class Orders {
  runs = 0;

  constructor(readonly producer: DelayQueueProducer) {}

  @OnDelayedTask('order_timeout')
  onTimeout(): void {
    this.runs++;
  }
}

async function boot(metadata: ModuleMetadata) {
  const made = await apps.compile(Test.createTestingModule(metadata));
  await made.app.init();
  return made;
}

describe('forRootAsync', () => {
  it.each<[string, Parameters<typeof DelayQueueModule.forRootAsync>[0]]>([
    ['useFactory', { useFactory: () => new Options().createDelayQueueOptions() }],
    [
      'useFactory with injected providers',
      {
        imports: [ConfigModule],
        inject: [Options],
        useFactory: async (options: Options) => options.createDelayQueueOptions(),
      },
    ],
    ['useClass', { useClass: Options }],
    ['useExisting', { imports: [ConfigModule], useExisting: Options }],
  ])('takes its options from %s', async (_, options) => {
    const { admin } = await boot({ imports: [DelayQueueModule.forRootAsync(options)] });
    expect((await admin.stats('order_timeout')).perPartition).toHaveLength(3);
  });
});

describe('the module', () => {
  it('is global: a module injects the producer without importing it', async () => {
    @Module({ providers: [Orders] })
    class OrdersModule {}
    const { app, producer } = await boot({ imports: [DelayQueueModule.forRoot({ embedded: true }), OrdersModule] });
    expect(app.get(Orders, { strict: false }).producer).toBe(producer);
  });

  it.each([
    ['forRoot', () => DelayQueueModule.forRoot({ embedded: true, isGlobal: false })],
    ['forRootAsync', () => DelayQueueModule.forRootAsync({ isGlobal: false, useFactory: () => ({ embedded: true }) })],
  ])('with isGlobal: false of %s is seen only where it is imported', async (_, create) => {
    const queue = create();
    @Module({ providers: [Orders] })
    class WithoutImport {}
    @Module({ imports: [queue], providers: [Orders] })
    class WithImport {}
    await expect(boot({ imports: [queue, WithoutImport] })).rejects.toThrow("can't resolve dependencies of the Orders");
    const { app, producer } = await boot({ imports: [queue, WithImport] });
    expect(app.get(Orders, { strict: false }).producer).toBe(producer);
  });

  it('C40 imported three times as one object is one queue, whose handlers run once', async () => {
    const queue = DelayQueueModule.forRoot({ embedded: true });
    @Module({ imports: [queue], providers: [Orders], exports: [Orders] })
    class OrdersModule {}
    @Module({ imports: [queue, OrdersModule] })
    class ShopModule {}
    const { app, producer, events } = await boot({ imports: [queue, OrdersModule, ShopModule] });
    const completed = nextEvent(events, 'completed');
    await producer.schedule('order_timeout', null, { delay: 0 });
    await completed;
    expect(app.get(Orders, { strict: false }).runs).toBe(1);
  });

  it('works in several applications of one process at once', async () => {
    const [first, second] = await Promise.all([apps.boot({ providers: [Orders] }), apps.boot({ providers: [Orders] })]);
    const completed = nextEvent(second.events, 'completed');
    await second.producer.schedule('order_timeout', null, { delay: 0 });
    await completed;
    expect([first.app.get(Orders).runs, second.app.get(Orders).runs]).toEqual([0, 1]);
    await first.app.close();
    const again = nextEvent(second.events, 'completed');
    await second.producer.schedule('order_timeout', null, { delay: 0 });
    await again;
  });

  it('logs once that nothing survives a restart, when it is embedded', async () => {
    const { log } = await apps.boot({});
    expect(log.matching('log', 'nothing survives a restart')).toHaveLength(1);
    expect(log.matching('warn', '')).toEqual([]);
    expect(log.matching('error', '')).toEqual([]);
  });

  it('exports what users inject and nothing else', async () => {
    const queue = DelayQueueModule.forRoot({ embedded: true });
    const core = (queue.imports ?? []).find((imported) => 'exports' in imported);
    expect(core).toMatchObject({
      exports: [
        DelayQueueProducer,
        DelayQueueAdmin,
        DelayQueueEvents,
        DelayQueueHealth,
        IdempotencyService,
        DelayQueueRunner,
        DELAYED_TASK,
      ],
    });
  });
});
