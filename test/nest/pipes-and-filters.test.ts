import { afterEach, describe, expect, it } from '@jest/globals';
import {
  type ArgumentMetadata,
  BadRequestException,
  Catch,
  createParamDecorator,
  type ExceptionFilter,
  type ExecutionContext,
  ForbiddenException,
  Inject,
  Injectable,
  type PipeTransform,
  UnprocessableEntityException,
  UseFilters,
  UsePipes,
  ValidationPipe,
} from '@nestjs/common';
import { APP_FILTER, APP_PIPE } from '@nestjs/core';
import { IsString } from 'class-validator';
import {
  DELAY_QUEUE_CONTEXT,
  type DelayedTask,
  DelayQueueContext,
  OnDelayedTask,
  TaskContext,
  TaskOutcome,
  TaskPayload,
} from 'nestjs-delay-queue';
import { nextEvent } from './support/next-event.js';
import { answering, expectFirst, pipe, QUICK } from './support/enhancers.js';
import { TestApps } from './support/test-apps.js';

const apps = new TestApps();
afterEach(() => apps.closeAll());

/** What happened, in order. */
const journal: unknown[] = [];
afterEach(() => {
  journal.length = 0;
});

describe('C43 a pipe', () => {
  const handlerUnder = (...pipes: PipeTransform[]) => {
    @Injectable()
    class Handler {
      @OnDelayedTask('t', QUICK)
      handle(@TaskPayload(...pipes) payload: unknown): void {
        journal.push(payload);
      }
    }
    return Handler;
  };

  class Timeout {
    @IsString()
    readonly orderId!: string;
  }

  it('C43 that refuses the payload makes a dead letter at once, whose reason says why', async () => {
    @Injectable()
    class Handler {
      @OnDelayedTask('t', { ...QUICK, parameters: 'decorated' })
      @UsePipes(new ValidationPipe({ transform: true }))
      handle(@TaskPayload() payload: Timeout, @TaskContext() task: DelayedTask): void {
        journal.push(payload, task.id);
      }
    }
    const app = await apps.boot({ providers: [Handler] });
    expect(await expectFirst(app, 'buried', { orderId: 7 })).toMatchObject({
      reason: 'payload refused: orderId must be a string',
      error: expect.any(BadRequestException),
    });
    expect(await app.producer.get('t', 'x')).toMatchObject({ state: 'dead', deliveries: 1, failures: 0 });
    expect(journal).toEqual([]);
    await app.admin.purgeDead('t', 'x');
    await expectFirst(app, 'completed');
    expect(journal).toEqual([expect.any(Timeout), 'x']);
  });

  it.each<[string, Error, string]>([
    ['a text', new BadRequestException('no such thing'), 'no such thing'],
    ['several texts', new UnprocessableEntityException(['one', 'two']), 'one; two'],
    ['something else', new BadRequestException({ errors: [1] }), 'Bad Request Exception'],
  ])('C43 may say with %s why it refuses', async (_, error, why) => {
    const refuse = pipe(() => {
      throw error;
    });
    const app = await apps.boot({ providers: [handlerUnder(refuse)] });
    expect(await expectFirst(app, 'buried')).toMatchObject({ reason: `payload refused: ${why}` });
  });

  it('C43 that fails otherwise is tried again', async () => {
    let runs = 0;
    const loading = pipe(async (value) => {
      if (++runs === 1) throw new Error('the database is away');
      return { loaded: value };
    });
    const app = await apps.boot({ providers: [handlerUnder(loading)] });
    expect(await expectFirst(app, 'completed')).toMatchObject({ deliveries: 2 });
    expect(journal).toEqual([{ loaded: { orderId: '1' } }]);
  });

  it('C43 is not blamed for what the handler throws', async () => {
    @Injectable()
    class Handler {
      @OnDelayedTask('t', QUICK)
      handle(@TaskPayload() _payload: unknown): void {
        throw new BadRequestException('of the handler');
      }
    }
    const app = await apps.boot({ providers: [Handler] });
    await expectFirst(app, 'retried');
  });

  it('C43 leaves the last word to a filter', async () => {
    @Catch(BadRequestException)
    class Forgiving implements ExceptionFilter {
      catch(): TaskOutcome {
        return TaskOutcome.complete();
      }
    }
    @Injectable()
    class Handler {
      @OnDelayedTask('t', QUICK)
      @UseFilters(Forgiving)
      handle(@TaskPayload(new ValidationPipe()) _payload: Timeout): void {}
    }
    const app = await apps.boot({ providers: [Handler] });
    await expectFirst(app, 'completed', {});
  });

  it('C43 can be a class, and sees the payload as a body and the task as something of its own', async () => {
    @Injectable()
    class Describing implements PipeTransform {
      constructor(@Inject('NAME') private readonly name: string) {}

      transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
        journal.push({ name: this.name, type, metatype });
        return value;
      }
    }
    @Injectable()
    class Handler {
      @OnDelayedTask('t', { parameters: 'decorated' })
      @UsePipes(Describing)
      handle(@TaskContext() task: DelayedTask, @TaskPayload(Describing) payload: Timeout): void {
        journal.push(task.id, payload);
      }
    }
    const app = await apps.boot({ providers: [Handler, { provide: 'NAME', useValue: 'injected' }] });
    await expectFirst(app, 'completed');
    expect(journal).toHaveLength(5);
    expect(journal).toEqual(
      expect.arrayContaining([
        { name: 'injected', type: 'body', metatype: Timeout },
        { name: 'injected', type: 'custom', metatype: Object },
        'x',
        { orderId: '1' },
      ]),
    );
  });

  it('C43 of the application leaves handlers without decorated parameters alone', async () => {
    @Injectable()
    class Handler {
      @OnDelayedTask('t')
      handle(payload: Timeout, task: DelayedTask): void {
        journal.push(payload, task.id);
      }
    }
    const app = await apps.boot({ providers: [Handler, { provide: APP_PIPE, useValue: new ValidationPipe() }] });
    await expectFirst(app, 'completed', { orderId: 7 });
    expect(journal).toEqual([{ orderId: 7 }, 'x']);
  });

  it('C43 a parameter decorator of the application reads the context of the task', async () => {
    const Tenant = createParamDecorator(
      (field: string, context: ExecutionContext) =>
        (DelayQueueContext.of(context).payload as Record<string, unknown>)[field],
    );
    @Injectable()
    class Handler {
      @OnDelayedTask('t', { parameters: 'decorated' })
      handle(@Tenant('tenantId') tenantId: string, @TaskContext() task: DelayedTask, @TaskPayload() payload: object) {
        journal.push(tenantId, task.id, payload);
      }
    }
    const app = await apps.boot({ providers: [Handler] });
    await expectFirst(app, 'completed', { tenantId: 'acme' });
    expect(journal).toEqual(['acme', 'x', { tenantId: 'acme' }]);
  });
});

describe('C43 a filter', () => {
  const failing = (
    filter: ExceptionFilter,
    fails: (payload: unknown) => unknown = () => {
      throw new Error('no');
    },
  ) => {
    @Injectable()
    class Handler {
      @OnDelayedTask('t', QUICK)
      @UseFilters(filter)
      handle(payload: unknown): unknown {
        return fails(payload);
      }
    }
    return Handler;
  };

  it('C43 that returns a value has handled the failure: the task is done', async () => {
    const hosts: unknown[] = [];
    const filter = answering((error, host) => {
      hosts.push(host.getType(), DelayQueueContext.of(host).task.id, (error as Error).message);
      return 'handled';
    });
    const app = await apps.boot({ providers: [failing(filter)] });
    expect(await expectFirst(app, 'completed')).toMatchObject({ deliveries: 1 });
    expect(hosts).toEqual([DELAY_QUEUE_CONTEXT, 'x', 'no']);
  });

  it('C43 that returns an outcome decides by it', async () => {
    const app = await apps.boot({ providers: [failing(answering(() => TaskOutcome.bury('hopeless')))] });
    expect(await expectFirst(app, 'buried')).toMatchObject({ reason: 'hopeless' });
  });

  it.each<[string, () => unknown]>([
    ['nothing', () => undefined],
    ['nothing, later', async () => undefined],
    ['null', () => null],
    ['false, later', async () => false],
  ])('C43 that returns %s has not handled it: the task is tried again', async (_, answer) => {
    const app = await apps.boot({ providers: [failing(answering(answer))] });
    expect((await expectFirst(app, 'retried')).error).toMatchObject({ message: 'no' });
  });

  it('C43 that throws has changed the error, and what it was asked about is kept as the cause', async () => {
    const forRequests = answering((_error, host) => host.switchToHttp().getResponse().status(500));
    const app = await apps.boot({ providers: [failing(forRequests)] });
    const buried = nextEvent(app.events, 'buried', 'x');
    expect((await expectFirst(app, 'retried')).error).toMatchObject({ name: 'TypeError', cause: { message: 'no' } });
    await buried;
    expect(await app.producer.get('t', 'x')).toMatchObject({ error: expect.stringContaining('Caused by: Error: no') });
  });

  it('C43 that is for other errors is not asked', async () => {
    @Catch(ForbiddenException)
    class Other implements ExceptionFilter {
      catch(): string {
        return 'handled';
      }
    }
    const app = await apps.boot({ providers: [failing(new Other())] });
    expect((await expectFirst(app, 'retried')).error).toMatchObject({ message: 'no' });
  });

  it('C43 is asked about strange things that were thrown, and of several the nearest answers', async () => {
    @Injectable()
    @UseFilters(answering(() => TaskOutcome.bury('by the class')))
    class Handler {
      @OnDelayedTask('t', QUICK)
      @UseFilters(answering((error) => TaskOutcome.bury(`by the method: ${String(error)}`)))
      handle(): void {
        // oxlint-disable-next-line typescript/only-throw-error
        throw undefined;
      }
    }
    const app = await apps.boot({
      providers: [Handler, { provide: APP_FILTER, useValue: answering(() => TaskOutcome.bury('by the application')) }],
    });
    expect(await expectFirst(app, 'buried')).toMatchObject({ reason: 'by the method: undefined' });
  });
});
