import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type ArgumentMetadata,
  BadRequestException,
  type CallHandler,
  type CanActivate,
  Catch,
  type ExceptionFilter,
  type ExecutionContext,
  ForbiddenException,
  type INestApplication,
  Inject,
  Injectable,
  type NestInterceptor,
  type PipeTransform,
  SetMetadata,
  UseFilters,
  UseGuards,
  UseInterceptors,
  UsePipes,
} from '@nestjs/common';
import { APP_GUARD, APP_INTERCEPTOR, APP_PIPE, Reflector } from '@nestjs/core';
import {
  DELAY_QUEUE_CONTEXT,
  type DelayedTask,
  DelayQueueContext,
  isDelayQueueContext,
  OnDelayedTask,
  TaskContext,
  TaskOutcome,
  TaskPayload,
} from 'nestjs-delay-queue';
import { map, type Observable } from 'rxjs';
import { RedisServer, type SharedRedis } from '../support/redis-server.js';
import { nextEvent } from './support/next-event.js';
import { answering, expectFirst, guard, intercept, pipe, QUICK } from './support/enhancers.js';
import { TestApps } from './support/test-apps.js';

const apps = new TestApps();
afterEach(() => apps.closeAll());

/** What happened, in order. */
const journal: unknown[] = [];
afterEach(() => {
  journal.length = 0;
});

/** Writes down that it was asked, and lets everything pass. */
@Injectable()
class JournalGuard implements CanActivate {
  constructor(@Inject('NAME') private readonly name: string) {}

  canActivate(context: ExecutionContext): boolean {
    journal.push(`guard of the ${this.name}`, context.getType<string>());
    return true;
  }
}

class NamedGuard implements CanActivate {
  constructor(private readonly name: string) {}

  canActivate(): boolean {
    journal.push(`guard of the ${this.name}`);
    return true;
  }
}

class NamedInterceptor implements NestInterceptor {
  constructor(private readonly name: string) {}

  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    journal.push(`interceptor of the ${this.name}`);
    return next.handle();
  }
}

class NamedPipe implements PipeTransform {
  constructor(private readonly name: string) {}

  transform(value: unknown, { type }: ArgumentMetadata): unknown {
    if (type === 'body') journal.push(`pipe of the ${this.name}`);
    return value;
  }
}

/** Writes down what it was asked about, and leaves it to others. */
@Catch()
class NamedFilter implements ExceptionFilter {
  constructor(private readonly name: string) {}

  catch(error: Error): void {
    journal.push(`filter of the ${this.name}: ${error.message}`);
  }
}

describe('C43 enhancers of the method, the class and the application', () => {
  it('C43 run in the order of Nest, around one handler', async () => {
    @UseGuards(new NamedGuard('class'))
    @UseInterceptors(new NamedInterceptor('class'))
    @UsePipes(new NamedPipe('class'))
    class Handler {
      @OnDelayedTask('t')
      @UseGuards(new NamedGuard('method'))
      @UseInterceptors(new NamedInterceptor('method'))
      @UsePipes(new NamedPipe('method'))
      handle(@TaskPayload(new NamedPipe('parameter')) payload: object, @TaskContext() task: DelayedTask): void {
        journal.push('handler', payload, task.id);
      }
    }
    const app = await apps.boot({
      providers: [
        Handler,
        { provide: APP_GUARD, useValue: new NamedGuard('application') },
        { provide: APP_INTERCEPTOR, useValue: new NamedInterceptor('application') },
        { provide: APP_PIPE, useValue: new NamedPipe('application') },
      ],
    });
    await expectFirst(app, 'completed');
    const places = ['application', 'class', 'method'];
    expect(journal).toEqual([
      ...places.map((place) => `guard of the ${place}`),
      ...places.map((place) => `interceptor of the ${place}`),
      ...[...places, 'parameter'].map((place) => `pipe of the ${place}`),
      'handler',
      { orderId: '1' },
      'x',
    ]);
  });

  it('C43 that are given to an HTTP application before it boots apply too', async () => {
    @Injectable()
    class Handler {
      @OnDelayedTask('t', { maxRetries: 0 })
      handle(@TaskPayload() payload: unknown): void {
        journal.push(payload);
        throw new Error('no');
      }
    }
    const made = await apps.createHttp({ providers: [Handler] });
    const app = made.app as INestApplication;
    app.useGlobalGuards(new NamedGuard('application'));
    app.useGlobalInterceptors(new NamedInterceptor('application'));
    app.useGlobalPipes(new NamedPipe('application'));
    app.useGlobalFilters(new NamedFilter('application'));
    await app.init();
    await expectFirst(made, 'buried');
    expect(journal).toEqual([
      'guard of the application',
      'interceptor of the application',
      'pipe of the application',
      { orderId: '1' },
      'filter of the application: no',
    ]);
  });

  it('C43 are made by Nest with their dependencies, and know the task and the method', async () => {
    const Role = (role: string) => SetMetadata('role', role);
    @Injectable()
    class RoleGuard implements CanActivate {
      constructor(
        private readonly reflector: Reflector,
        @Inject('NAME') private readonly name: string,
      ) {}

      canActivate(context: ExecutionContext): boolean {
        const { task, payload } = DelayQueueContext.of(context);
        journal.push({
          name: this.name,
          type: context.getType<string>(),
          isTask: isDelayQueueContext(context),
          role: this.reflector.getAllAndOverride<string>('role', [context.getHandler(), context.getClass()]),
          method: `${context.getClass().name}.${context.getHandler().name}`,
          args: context.getArgs().length,
          task: task.id,
          payload,
        });
        return true;
      }
    }
    @Injectable()
    class Handler {
      @OnDelayedTask('t')
      @Role('shop')
      @UseGuards(RoleGuard)
      handle(): void {}
    }
    const app = await apps.boot({ providers: [Handler, { provide: 'NAME', useValue: 'injected' }] });
    await expectFirst(app, 'completed');
    expect(journal).toEqual([
      {
        name: 'injected',
        type: DELAY_QUEUE_CONTEXT,
        isTask: true,
        role: 'shop',
        method: 'Handler.handle',
        args: 2,
        task: 'x',
        payload: { orderId: '1' },
      },
    ]);
  });

  it('C43 of the application can be classes, and a boot says that they will be asked', async () => {
    @Injectable()
    class Handler {
      @OnDelayedTask('t')
      handle(): void {}
    }
    const app = await apps.boot({
      providers: [
        Handler,
        { provide: 'NAME', useValue: 'application' },
        { provide: APP_GUARD, useClass: JournalGuard },
      ],
    });
    await expectFirst(app, 'completed');
    expect(journal).toEqual(['guard of the application', DELAY_QUEUE_CONTEXT]);
    expect(app.log.matching('log', 'JournalGuard')).toHaveLength(1);
  });

  it('C43 do not mix up two classes of one name', async () => {
    const handlerOf = (type: string, place: string) => {
      @Injectable()
      class Handler {
        @OnDelayedTask(type)
        @UseGuards(new NamedGuard(place))
        handle(@TaskPayload() payload: unknown): void {
          journal.push(place, payload);
        }
      }
      return Handler;
    };
    @Injectable()
    class Handler {
      @OnDelayedTask('u')
      @UseGuards(new NamedGuard('plain'))
      handle(payload: unknown, task: DelayedTask): void {
        journal.push('plain', payload, task.id);
      }
    }
    const app = await apps.boot({ providers: [handlerOf('t', 'first'), Handler] });
    for (const type of ['t', 'u']) {
      const completed = nextEvent(app.events, 'completed', type);
      await app.producer.schedule(type, type, { delay: 0, id: type });
      await completed;
    }
    expect(journal).toEqual(['guard of the first', 'first', 't', 'guard of the plain', 'plain', 'u', 'u']);
  });
});

describe('on Redis', () => {
  let redis: SharedRedis;
  beforeAll(async () => {
    redis = await RedisServer.shared();
  }, 30_000);
  afterAll(() => redis.release(), 30_000);

  it('C43 a guard, an interceptor, a pipe and a filter do their work', async () => {
    const refuse = pipe((payload) => {
      if (payload === 'bad') throw new BadRequestException('bad');
      return payload;
    });
    @Injectable()
    @UseGuards(guard((context) => DelayQueueContext.of(context).payload !== 'guarded'))
    @UseInterceptors(intercept((result$) => result$.pipe(map((data) => ({ data })))))
    @UseFilters(
      answering((error) => (error instanceof RangeError ? TaskOutcome.bury('out of range', error) : undefined)),
    )
    class Handler {
      @OnDelayedTask('t', QUICK)
      handle(@TaskPayload(refuse) payload: string): unknown {
        if (payload === 'throws') throw new RangeError('payload');
        return payload === 'snoozes' ? TaskOutcome.snooze('1h') : payload;
      }
    }
    const queue = { connection: redis.url, prefix: `${redis.prefix}-enhancers` };
    const { events, producer } = await apps.boot({ queue, providers: [Handler] });
    const ends = Promise.all([
      nextEvent(events, 'completed', 'good'),
      nextEvent(events, 'snoozed', 'snoozes'),
      nextEvent(events, 'buried', 'bad'),
      nextEvent(events, 'buried', 'throws'),
      nextEvent(events, 'buried', 'guarded'),
    ]);
    const ids = ['good', 'snoozes', 'bad', 'throws', 'guarded'];
    await producer.scheduleMany(
      't',
      ids.map((id) => ({ id, payload: id, delay: 0 })),
    );
    const [, , bad, throws, guarded] = await ends;
    expect([bad.reason, throws.reason]).toEqual(['payload refused: bad', 'out of range']);
    expect(guarded.error).toBeInstanceOf(ForbiddenException);
    expect(await producer.get('t', 'bad')).toMatchObject({ state: 'dead', failures: 0 });
    expect(await producer.get('t', 'guarded')).toMatchObject({ state: 'dead', failures: 2 });
  }, 30_000);
});
