import { afterEach, describe, expect, it } from '@jest/globals';
import { Inject, Injectable, type INestApplicationContext, Module, type OnModuleInit } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DelayQueueEvents, DelayQueueModule, DelayQueueProducer, OnDelayedTask } from 'nestjs-delay-queue';
import { waitFor } from '../support/wait-for.js';
import { nextEvent } from './support/next-event.js';
import { type Journal, Recorder, recordingModule } from './support/recording-module.js';

const TYPE = 'order_timeout';
const HANDLER_MS = 100;

let open: INestApplicationContext | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});

/** A handler that is busy for a while, and a task for it that is overdue before the application is ready. */
@Injectable()
class Orders implements OnModuleInit {
  constructor(
    private readonly producer: DelayQueueProducer,
    @Inject('JOURNAL') private readonly journal: Journal,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.producer.schedule(TYPE, {}, { delay: 0, id: 'overdue' });
    this.journal.push('scheduled');
  }

  @OnDelayedTask(TYPE)
  async onTimeout(): Promise<void> {
    this.journal.push('handler started');
    await new Promise((resolve) => setTimeout(resolve, HANDLER_MS));
    this.journal.push('handler ended');
  }
}

/** An application with hooks in every place that Nest treats differently. */
function application(journal: Journal) {
  const feature = recordingModule('feature', journal);
  const nested = recordingModule('nested', journal, { imports: [recordingModule('deep', journal)] });
  @Module({
    imports: [
      recordingModule('global', journal, { global: true }),
      DelayQueueModule.forRoot({ embedded: true }),
      feature,
      nested,
    ],
    providers: [
      Orders,
      { provide: 'JOURNAL', useValue: journal },
      { provide: 'root recorder', useFactory: () => new Recorder('root', journal) },
    ],
  })
  class AppModule extends Recorder {
    constructor() {
      super('root module', journal);
    }
  }
  return AppModule;
}

type Boot = (journal: Journal) => Promise<INestApplicationContext>;

const context: Boot = (journal) => NestFactory.createApplicationContext(application(journal), { logger: false });

const http: Boot = async (journal) => {
  const app = await NestFactory.create(application(journal), { logger: false });
  return app.listen(0, '127.0.0.1').then(() => app);
};

/** Waits for the overdue task, which may have run before the application was ready if the order is wrong. */
function handlerEnded(journal: Journal): Promise<unknown> {
  return waitFor(() => journal.includes('handler ended'), { what: 'the handler of the overdue task' });
}

describe.each<[string, Boot]>([
  ['an application context', context],
  ['an HTTP application', http],
])('in %s', (_, boot) => {
  it('C39 a task that is overdue at boot runs after every onModuleInit and onApplicationBootstrap', async () => {
    const journal: Journal = [];
    open = await boot(journal);
    await handlerEnded(journal);
    const started = journal.indexOf('handler started');
    const hooks = journal.filter((line) => /initialised|bootstrapped/.test(line));
    expect(journal.indexOf('scheduled')).toBeGreaterThanOrEqual(0);
    // Six places with two hooks, three of them twice because the module's class has them too, and the root's class.
    expect(hooks).toHaveLength(2 * (2 * 4 + 2));
    expect(journal.slice(0, started)).toEqual(expect.arrayContaining(hooks));
  });

  it('a handler that runs at the shutdown ends before the first provider is destroyed', async () => {
    const journal: Journal = [];
    open = await boot(journal);
    await handlerEnded(journal);
    const events = open.get(DelayQueueEvents);
    const started = nextEvent(events, 'started', 'last');
    const completed = nextEvent(events, 'completed', 'last');
    await open.get(DelayQueueProducer).schedule(TYPE, {}, { delay: 0, id: 'last' });
    await started;
    journal.length = 0;
    await open.close();
    await completed;
    expect(journal[0]).toBe('handler ended');
    expect(journal.filter((line) => line.endsWith('destroyed'))).toHaveLength(2 * 4 + 2);
  });
});
