import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { Interval, ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import { OnDelayedTask } from 'nestjs-delay-queue';
import { VirtualClock } from 'nestjs-delay-queue/testing';
import { waitFor } from '../support/wait-for.js';
import { nextEvent } from './support/next-event.js';
import { TestApps } from './support/test-apps.js';

const TYPE = 'order_timeout';
const TRIM = 'delay-queue:default:trim';
const MINUTE_MS = 60_000;
const apps = new TestApps();

afterEach(async () => {
  jest.useRealTimers();
  await apps.closeAll();
});

@Injectable()
class Orders {
  ticks = 0;

  @OnDelayedTask(TYPE, { maxRetries: 0 })
  onTimeout(): void {
    throw new Error('no');
  }

  @Interval('own', MINUTE_MS)
  tick(): void {
    this.ticks++;
  }
}

/** Dead letters are outdated as soon as a millisecond has passed. */
const queue = { embedded: true, types: { [TYPE]: { deadLetters: { keepFor: 1 } } } };

describe('with ScheduleModule', () => {
  it('the trims are an interval of the SchedulerRegistry, which removes outdated dead letters', async () => {
    // Only intervals are faked: the queue itself runs on timeouts.
    jest.useFakeTimers({
      doNotFake: [
        'Date',
        'hrtime',
        'nextTick',
        'performance',
        'queueMicrotask',
        'setImmediate',
        'clearImmediate',
        'setTimeout',
        'clearTimeout',
      ],
    });
    const { app, admin, producer, events } = await apps.boot({
      queue,
      imports: [ScheduleModule.forRoot()],
      providers: [Orders],
    });
    expect(app.get(SchedulerRegistry, { strict: false }).getIntervals().toSorted()).toEqual([TRIM, 'own']);
    const buried = nextEvent(events, 'buried');
    await producer.schedule(TYPE, {}, { delay: 0 });
    await buried;
    await waitFor(async () => (await admin.stats(TYPE)).dead === 1, { what: 'the dead letter' });
    jest.advanceTimersByTime(MINUTE_MS);
    await waitFor(async () => (await admin.stats(TYPE)).dead === 0, { what: 'the trim' });
    // The library must not register the schedule module a second time: every interval would tick twice.
    expect(app.get(Orders).ticks).toBe(1);
  });

  it('the interval is gone after the shutdown, which logs no error', async () => {
    const { app, log } = await apps.boot({ queue, imports: [ScheduleModule.forRoot()], providers: [Orders] });
    const registry = app.get(SchedulerRegistry, { strict: false });
    expect(registry.doesExist('interval', TRIM)).toBe(true);
    await app.close();
    expect(registry.getIntervals()).toEqual([]);
    expect(log.matching('error', '')).toEqual([]);
  });

  it('an interval that the application has deleted is not deleted again', async () => {
    const { app, log } = await apps.boot({ queue, imports: [ScheduleModule.forRoot()], providers: [Orders] });
    app.get(SchedulerRegistry, { strict: false }).deleteInterval(TRIM);
    await app.close();
    expect(log.matching('error', '')).toEqual([]);
  });

  it('a process without handlers registers nothing', async () => {
    const { app } = await apps.boot({ queue, imports: [ScheduleModule.forRoot()] });
    expect(app.get(SchedulerRegistry, { strict: false }).getIntervals()).toEqual([]);
  });
});

describe('without ScheduleModule', () => {
  it('the trims run on a timer of the queue', async () => {
    const clock = new VirtualClock();
    const { admin, producer } = await apps.boot({ queue, clock, providers: [Orders] });
    await producer.schedule(TYPE, {}, { delay: 0 });
    await clock.advanceMs(0);
    await waitFor(async () => (await admin.stats(TYPE)).dead === 1, { what: 'the dead letter' });
    await clock.advanceMs(MINUTE_MS - 1);
    expect(await admin.stats(TYPE)).toMatchObject({ dead: 1 });
    await clock.advanceMs(1);
    expect(await admin.stats(TYPE)).toMatchObject({ dead: 0 });
  });
});
