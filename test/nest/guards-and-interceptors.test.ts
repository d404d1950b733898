import { afterEach, describe, expect, it } from '@jest/globals';
import {
  type CanActivate,
  Catch,
  type ExceptionFilter,
  ForbiddenException,
  Injectable,
  type NestInterceptor,
  UseFilters,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { Idempotent, isDelayQueueContext, OnDelayedTask, TaskOutcome } from 'nestjs-delay-queue';
import { map, of, timeout } from 'rxjs';
import { nextEvent } from './support/next-event.js';
import { expectFirst, guard, intercept, QUICK } from './support/enhancers.js';
import { TestApps } from './support/test-apps.js';

const apps = new TestApps();
afterEach(() => apps.closeAll());

/** What happened, in order. */
const journal: unknown[] = [];
afterEach(() => {
  journal.length = 0;
});

describe('C43 a guard', () => {
  const handlerUnder = (...guards: CanActivate[]) => {
    @Injectable()
    class Handler {
      @OnDelayedTask('t', QUICK)
      @UseGuards(...guards)
      handle(): void {
        journal.push('handler');
      }
    }
    return Handler;
  };

  it('C43 that refuses is a failure: tried again, then a dead letter', async () => {
    const app = await apps.boot({ providers: [handlerUnder(guard(() => false))] });
    const buried = nextEvent(app.events, 'buried', 'x');
    const { error } = await expectFirst(app, 'retried');
    expect(error).toBeInstanceOf(ForbiddenException);
    expect((await buried).error).toBeInstanceOf(ForbiddenException);
    expect(await app.producer.get('t', 'x')).toMatchObject({ state: 'dead', failures: 2 });
    expect(journal).toEqual([]);
  });

  it('C43 that lets the task pass the second time has only delayed it', async () => {
    let asked = 0;
    const app = await apps.boot({ providers: [handlerUnder(guard(async () => ++asked === 2))] });
    expect(await expectFirst(app, 'completed')).toMatchObject({ deliveries: 2, failures: 1 });
    expect(journal).toEqual(['handler']);
  });

  it('C43 that refuses leaves no mark behind, and is not asked about work that was done before', async () => {
    let asked = 0;
    @Injectable()
    class Handler {
      @OnDelayedTask('t', QUICK)
      @Idempotent({ key: (payload: { orderId: string }) => payload.orderId })
      @UseGuards(guard(() => ++asked > 1))
      handle(): void {
        journal.push('handler');
      }
    }
    const app = await apps.boot({ providers: [Handler] });
    expect(await expectFirst(app, 'completed')).toMatchObject({ deliveries: 2 });
    const skipped = nextEvent(app.events, 'skipped', 'y');
    await app.producer.schedule('t', { orderId: '1' }, { delay: 0, id: 'y' });
    await skipped;
    expect(journal).toEqual(['handler']);
    expect(asked).toBe(2);
  });

  it('C43 whose refusal a filter turns into an outcome decides otherwise', async () => {
    @Catch(ForbiddenException)
    class Postpone implements ExceptionFilter {
      catch(): TaskOutcome {
        return TaskOutcome.snooze('1h');
      }
    }
    @Injectable()
    class Handler {
      @OnDelayedTask('t', QUICK)
      @UseGuards(guard(() => false))
      @UseFilters(Postpone)
      handle(): void {}
    }
    const app = await apps.boot({ providers: [Handler] });
    expect(await expectFirst(app, 'snoozed')).toMatchObject({ delayMs: 3_600_000, failures: 0 });
  });

  it('C43 that was made for requests refuses tasks, unless it asks what it is asked about', async () => {
    const forRequests = guard((context) => context.switchToHttp().getRequest().headers.authorization !== undefined);
    const refusing = await apps.boot({ providers: [handlerUnder(), { provide: APP_GUARD, useValue: forRequests }] });
    expect((await expectFirst(refusing, 'retried')).error).toBeInstanceOf(TypeError);
    const both = guard((context) => isDelayQueueContext(context) || forRequests.canActivate(context));
    const passing = await apps.boot({ providers: [handlerUnder(), { provide: APP_GUARD, useValue: both }] });
    await expectFirst(passing, 'completed');
    expect(journal).toEqual(['handler']);
  });
});

describe('C43 an interceptor', () => {
  const handlerUnder = (interceptor: NestInterceptor, result: () => unknown) => {
    @Injectable()
    class Handler {
      @OnDelayedTask('t', QUICK)
      @UseInterceptors(interceptor)
      handle(): unknown {
        return result();
      }
    }
    return Handler;
  };

  it('C43 that wraps every result does not make an outcome of the handler a success', async () => {
    const wrap = intercept((result$) => result$.pipe(map((data) => ({ data }))));
    const snoozing = await apps.boot({ providers: [handlerUnder(wrap, () => TaskOutcome.snooze('1h'))] });
    await expectFirst(snoozing, 'snoozed');
    const completing = await apps.boot({ providers: [handlerUnder(wrap, () => 'done')] });
    await expectFirst(completing, 'completed');
  });

  it('C43 may answer with an outcome of its own, with or without the handler', async () => {
    const bury = intercept((result$) => result$.pipe(map((result) => TaskOutcome.bury(`not ${String(result)}`))));
    const changed = await apps.boot({ providers: [handlerUnder(bury, () => 'done')] });
    expect(await expectFirst(changed, 'buried')).toMatchObject({ reason: 'not done' });
    const complete = intercept((result$) => result$.pipe(map(() => TaskOutcome.complete())));
    const completed = await apps.boot({ providers: [handlerUnder(complete, () => TaskOutcome.snooze('1h'))] });
    await expectFirst(completed, 'completed');
    const ran: unknown[] = [];
    const instead = intercept(() => of(TaskOutcome.snooze('2h')));
    const skipped = await apps.boot({ providers: [handlerUnder(instead, () => ran.push('handler'))] });
    expect(await expectFirst(skipped, 'snoozed')).toMatchObject({ delayMs: 7_200_000 });
    expect(ran).toEqual([]);
  });

  it('C43 that times out is a failure', async () => {
    const slow = intercept((result$) => result$.pipe(timeout(1)));
    const app = await apps.boot({ providers: [handlerUnder(slow, () => new Promise(() => undefined))] });
    expect((await expectFirst(app, 'retried')).error).toMatchObject({ name: 'TimeoutError' });
  });

  it('C43 lets failures through, and can be the one that fails', async () => {
    const passing = await apps.boot({
      providers: [
        handlerUnder(
          intercept((result$) => result$),
          () => Promise.reject(new Error('of the handler')),
        ),
      ],
    });
    expect((await expectFirst(passing, 'retried')).error).toMatchObject({ message: 'of the handler' });
    const failing = await apps.boot({
      providers: [
        handlerUnder(
          intercept(() => {
            throw new Error('of the interceptor');
          }),
          () => undefined,
        ),
      ],
    });
    expect((await expectFirst(failing, 'retried')).error).toMatchObject({ message: 'of the interceptor' });
  });
});
