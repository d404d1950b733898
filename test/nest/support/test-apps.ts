import type { INestApplicationContext, ModuleMetadata } from '@nestjs/common';
import { Test, type TestingModule, type TestingModuleBuilder } from '@nestjs/testing';
import {
  DelayQueueAdmin,
  DelayQueueEvents,
  DelayQueueModule,
  type DelayQueueModuleOptions,
  DelayQueueProducer,
} from 'nestjs-delay-queue';
import type { Clock } from '../../../libs/delay-queue/src/core/clock.js';
import { QUEUE_CLOCK } from '../../../libs/delay-queue/src/nest/tokens.js';
import { CapturedLog } from './captured-log.js';

/** What an application of a test consists of, beside the queue. */
export interface TestAppParts extends ModuleMetadata {
  /** @default embedded */
  readonly queue?: DelayQueueModuleOptions;
  /** @default the clock of the process */
  readonly clock?: Clock;
}

/** A Nest application with a queue, and what tests use of it. */
export interface TestApp {
  readonly app: INestApplicationContext;
  readonly producer: DelayQueueProducer;
  readonly admin: DelayQueueAdmin;
  readonly events: DelayQueueEvents;
  readonly log: CapturedLog;
}

/** Boots applications, and closes them all after a test. */
export class TestApps {
  private readonly open = new Set<INestApplicationContext>();

  /** Boots an application; its handlers run when this resolves. */
  async boot(parts: TestAppParts): Promise<TestApp> {
    const made = await this.create(parts);
    await made.app.init();
    return made;
  }

  /** Makes an application without booting it: none of its hooks has been called. */
  create(parts: TestAppParts): Promise<TestApp> {
    return this.compile(builderOf(parts));
  }

  /** The same with an HTTP server, which boots and closes by other rules than a mere context. */
  createHttp(parts: TestAppParts): Promise<TestApp> {
    return this.make(builderOf(parts), (module) => module.createNestApplication());
  }

  /** Makes an application out of a module of one's own, which imports the queue. */
  compile(builder: TestingModuleBuilder): Promise<TestApp> {
    return this.make(builder, (module) => module);
  }

  private async make(
    builder: TestingModuleBuilder,
    toApp: (module: TestingModule) => INestApplicationContext,
  ): Promise<TestApp> {
    const log = new CapturedLog();
    const app = toApp(await builder.setLogger(log).compile());
    this.open.add(app);
    return {
      app,
      log,
      producer: app.get(DelayQueueProducer),
      admin: app.get(DelayQueueAdmin),
      events: app.get(DelayQueueEvents),
    };
  }

  /** Closes what is still open. */
  async closeAll(): Promise<void> {
    const apps = [...this.open];
    this.open.clear();
    await Promise.all(apps.map((app) => app.close()));
  }
}

function builderOf({ queue = { embedded: true }, clock, imports = [], ...rest }: TestAppParts): TestingModuleBuilder {
  const builder = Test.createTestingModule({ imports: [DelayQueueModule.forRoot(queue), ...imports], ...rest });
  return clock === undefined ? builder : builder.overrideProvider(QUEUE_CLOCK).useValue(clock);
}
