import { afterEach, describe, expect, it } from '@jest/globals';
import { Injectable, Module, type ModuleMetadata, type Type } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import { Test, type TestingModule } from '@nestjs/testing';
import {
  ConfigurationError,
  type DelayedTask,
  DelayQueueAdmin,
  DelayQueueEvents,
  DelayQueueHealth,
  DelayQueueModule,
  DelayQueueProducer,
  DelayQueueRunner,
  getDelayQueueToken,
  InjectDelayQueue,
  OnDelayedTask,
  QueueClosedError,
} from 'nestjs-delay-queue';
import { waitFor } from '../support/wait-for.js';
import { nextEvent } from './support/next-event.js';

const PARTS = [DelayQueueProducer, DelayQueueAdmin, DelayQueueEvents, DelayQueueHealth, DelayQueueRunner];

const open: TestingModule[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((app) => app.close()));
});

/** What an application logs, with the context of each line. */
class ContextLog {
  readonly lines: string[] = [];
  log = (message: string, context?: string) => void this.lines.push(`[${context}] ${message}`);
  warn = this.log;
  error = (message: string, stack?: string, context?: string) => this.log(`${message} ${stack}`, context);
}

async function boot(metadata: ModuleMetadata, log = new ContextLog()): Promise<TestingModule> {
  const app = await Test.createTestingModule(metadata).setLogger(log).compile();
  open.push(app);
  return app.init();
}

async function refusal(metadata: ModuleMetadata): Promise<ConfigurationError> {
  const error: unknown = await boot(metadata).catch((reason: unknown) => reason);
  if (error instanceof ConfigurationError) return error;
  throw new Error('expected a ConfigurationError', { cause: error });
}

const main = () => DelayQueueModule.forRoot({ embedded: true });
const reports = () => DelayQueueModule.forRoot({ name: 'reports', embedded: true });

@Injectable()
class Handlers {
  readonly runs: string[] = [];

  constructor(
    readonly delayQueue: DelayQueueProducer,
    @InjectDelayQueue() readonly sameQueue: DelayQueueProducer,
    @InjectDelayQueue('reports') readonly reports: DelayQueueProducer,
    @InjectDelayQueue('reports', DelayQueueEvents) readonly reportsEvents: DelayQueueEvents,
  ) {}

  @OnDelayedTask('t')
  onMain(_payload: unknown, task: DelayedTask): void {
    this.runs.push(`default ${task.id}`);
  }

  @OnDelayedTask('t', { queue: 'reports' })
  onReports(_payload: unknown, task: DelayedTask): void {
    this.runs.push(`reports ${task.id}`);
  }
}

describe('several queues', () => {
  it('each has its own tasks and its own handlers, also for types of one name', async () => {
    const app = await boot({ imports: [main(), reports()], providers: [Handlers] });
    const handlers = app.get(Handlers);
    expect(handlers.sameQueue).toBe(handlers.delayQueue);
    expect(handlers.reports).not.toBe(handlers.delayQueue);
    const done = [
      nextEvent(app.get(DelayQueueEvents), 'completed', 'x'),
      nextEvent(handlers.reportsEvents, 'completed', 'x'),
    ];
    await handlers.delayQueue.schedule('t', {}, { delay: 0, id: 'x' });
    await handlers.reports.schedule('t', {}, { delay: 0, id: 'x' });
    await Promise.all(done);
    expect(handlers.runs.toSorted()).toEqual(['default x', 'reports x']);
    await handlers.reports.schedule('t', {}, { delay: '1h', id: 'later' });
    expect(await handlers.delayQueue.get('t', 'later')).toBeNull();
    const admin = app.get<DelayQueueAdmin>(getDelayQueueToken('reports', DelayQueueAdmin));
    expect(await admin.stats('t')).toMatchObject({ waiting: 1 });
  });

  it.each([
    ['the default one first', () => [main(), reports()]],
    ['the default one last', () => [reports(), main()]],
  ])('the classes are those of the default queue, whatever the order of the imports: %s', async (_, imports) => {
    const app = await boot({ imports: imports() });
    for (const part of PARTS) {
      const own = app.get<object>(part);
      expect(app.get(getDelayQueueToken<object>('default', part))).toBe(own);
      expect(app.get(getDelayQueueToken<object>('reports', part))).toBeInstanceOf(part);
      expect(app.get(getDelayQueueToken<object>('reports', part))).not.toBe(own);
    }
  });

  it.each([
    ['the default one first', () => [main(), reports()]],
    ['the default one last', () => [reports(), main()]],
  ])('no part of one queue is wired to a part of another: %s', async (_, imports) => {
    const app = await boot({ imports: imports(), providers: [Handlers] });
    const cores = [...app.get(ModulesContainer).values()].filter(({ name }) => name === 'DelayQueueCoreModule');
    expect(cores).toHaveLength(2);
    for (const core of cores) {
      for (const provider of core.providers.values()) {
        const hosts = (provider.getCtorMetadata() ?? []).map(({ host }) => host);
        const others = hosts.filter((host) => host !== core && host?.name.startsWith('DelayQueue'));
        expect([provider.name, others.map((other) => other?.name)]).toEqual([provider.name, []]);
      }
    }
  });

  it('an application may have named queues only, through forRootAsync too', async () => {
    const app = await boot({
      imports: [
        DelayQueueModule.forRootAsync({ name: 'reports', useFactory: () => ({ embedded: true }) }),
        DelayQueueModule.forRootAsync({ name: 'mail', useFactory: () => ({ embedded: true }) }),
      ],
    });
    expect(() => app.get(DelayQueueProducer)).toThrow('DelayQueueProducer');
    const mail = app.get<DelayQueueProducer>(getDelayQueueToken('mail'));
    expect(await mail.schedule('t', {}, { delay: '1h' })).toMatchObject({ status: 'created' });
  });

  it('a feature module sets the types of the queue that it names', async () => {
    const feature = DelayQueueModule.forFeature({ queue: 'reports', types: { t: { partitions: 3 } } });
    const app = await boot({ imports: [main(), reports(), feature] });
    const partitions = await Promise.all(
      ['default', 'reports'].map(async (name) => {
        const admin = app.get<DelayQueueAdmin>(getDelayQueueToken(name, DelayQueueAdmin));
        return (await admin.stats('t')).perPartition.length;
      }),
    );
    expect(partitions).toEqual([1, 3]);
    const { message } = await refusal({ imports: [main(), feature] });
    expect(message).toContain("'reports'");
  });

  it('isGlobal: false is a matter of each queue', async () => {
    const hidden = DelayQueueModule.forRoot({ name: 'reports', embedded: true, isGlobal: false });
    @Injectable()
    class User {
      constructor(@InjectDelayQueue('reports') readonly producer: DelayQueueProducer) {}
    }
    @Module({ providers: [User] })
    class Without {}
    @Module({ imports: [hidden], providers: [User] })
    class With {}
    await expect(boot({ imports: [main(), hidden, Without] })).rejects.toThrow('DelayQueueProducer:reports');
    const app = await boot({ imports: [main(), hidden, With] });
    expect(app.get(User, { strict: false }).producer).toBeInstanceOf(DelayQueueProducer);
  });

  it('log lines and the jobs of the SchedulerRegistry bear the name of the queue', async () => {
    const log = new ContextLog();
    const app = await boot({ imports: [ScheduleModule.forRoot(), main(), reports()], providers: [Handlers] }, log);
    const line = 'Tasks are kept in the memory of this process';
    expect(log.lines).toContainEqual(expect.stringContaining(`[DelayQueue] ${line}`));
    expect(log.lines).toContainEqual(expect.stringContaining(`[DelayQueue:reports] ${line}`));
    const jobs = app.get(SchedulerRegistry, { strict: false }).getIntervals();
    expect(jobs.toSorted()).toEqual(['delay-queue:default:trim', 'delay-queue:reports:trim']);
  });

  it('they stop at the same time, in one shutdown time for all', async () => {
    const signals: AbortSignal[] = [];
    const endless = (task: DelayedTask): Promise<never> => {
      signals.push(task.signal);
      return new Promise(() => undefined);
    };
    @Injectable()
    class Endless {
      @OnDelayedTask('t')
      onMain(_payload: unknown, task: DelayedTask): Promise<never> {
        return endless(task);
      }

      @OnDelayedTask('t', { queue: 'reports' })
      onReports(_payload: unknown, task: DelayedTask): Promise<never> {
        return endless(task);
      }
    }
    const options = { embedded: true, shutdownTimeout: '3s' } as const;
    const imports = [DelayQueueModule.forRoot(options), DelayQueueModule.forRoot({ name: 'reports', ...options })];
    const app = await boot({ imports, providers: [Endless] });
    for (const name of ['default', 'reports']) {
      await app.get<DelayQueueProducer>(getDelayQueueToken(name)).schedule('t', {}, { delay: 0 });
    }
    await waitFor(() => signals.length === 2, { what: 'both handlers' });
    const aborted: number[] = [];
    for (const signal of signals) signal.addEventListener('abort', () => aborted.push(performance.now()));
    await app.close();
    const [first = 0, second = Infinity] = aborted;
    // One after the other they would be a shutdown time apart.
    expect(second - first).toBeLessThan(1_000);
  }, 30_000);
});

describe('set-ups that fail the boot', () => {
  const handlerOf = (queue: unknown): Type => {
    @Injectable()
    class Orders {
      @OnDelayedTask('order_timeout', { queue: queue as string })
      cancelUnpaid(): void {}
    }
    return Orders;
  };

  it.each(['report', '', 7, null])('a handler of the unknown queue %p: both are named', async (queue) => {
    const error = await refusal({ imports: [main(), reports()], providers: [handlerOf(queue)] });
    expect(error.field).toBe('Orders.cancelUnpaid');
    for (const part of ["'order_timeout'", `'${queue}'`, "'default', 'reports'"]) expect(error.message).toContain(part);
  });

  it('a handler that names no queue where there is no default one says what to do', async () => {
    const { message } = await refusal({ imports: [reports()], providers: [handlerOf(undefined)] });
    expect(message).toContain("the queue 'default', which this application does not have: it has 'reports'");
    expect(message).toContain('@OnDelayedTask(type, { queue:');
  });

  it('two registrations of one name', async () => {
    const { field, message } = await refusal({ imports: [main(), reports(), reports()] });
    expect(field).toBe('DelayQueueModule');
    expect(message).toContain("2 times for the queue 'reports'");
    // The name of the queue without one may be written down.
    const written = DelayQueueModule.forRoot({ name: 'default', embedded: true });
    expect((await refusal({ imports: [main(), written] })).message).toContain("2 times for the queue 'default'");
  });

  it.each(['', 'a:b', 'a b', 7, null])('C58 the name %p', (name) => {
    const register = () => DelayQueueModule.forRoot({ name: name as string, embedded: true });
    expect(register).toThrow(expect.objectContaining({ code: 'configuration', field: 'name' }));
    expect(() => InjectDelayQueue(name as string)).toThrow(ConfigurationError);
  });

  it('C56 an option of a named queue says which queue it is about', async () => {
    const imports = [main(), DelayQueueModule.forRoot({ name: 'reports', connection: undefined })];
    const { field, message } = await refusal({ imports });
    expect(field).toBe('reports.connection');
    expect(message).toMatch(/^reports\.connection: is undefined/);
  });

  it.each<[string, object]>([
    ['one URL', { connection: 'redis://127.0.0.1:1' }],
    ['equal options', { connection: { host: '127.0.0.1', port: 1 } }],
  ])('two queues that would share their keys: %s', async (_, place) => {
    const queues = (prefix: string) => [
      DelayQueueModule.forRoot({ ...structuredClone(place), storeTimeout: 100 }),
      DelayQueueModule.forRoot({ name: 'reports', ...structuredClone(place), storeTimeout: 100, prefix }),
    ];
    const { field, message } = await refusal({ imports: queues('delay-queue') });
    expect(field).toContain('prefix');
    for (const part of ["'default'", "'reports'", "'delay-queue'"]) expect(message).toContain(part);
    await boot({ imports: queues('other') });
  });

  it('when one queue cannot be set up, the others are closed with it', async () => {
    @Injectable()
    class Orders {
      @OnDelayedTask('a b', { queue: 'reports' })
      handle(): void {}
    }
    const builder = Test.createTestingModule({ imports: [main(), reports()], providers: [Handlers, Orders] });
    const app = await builder.setLogger(new ContextLog()).compile();
    const { delayQueue } = app.get(Handlers);
    await expect(app.init()).rejects.toThrow('Orders.handle');
    await expect(delayQueue.schedule('t', {}, { delay: 0 })).rejects.toThrow(QueueClosedError);
  });
});
