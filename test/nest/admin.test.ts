import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { InvalidArgumentError, OnDelayedTask, type TaskPage } from 'nestjs-delay-queue';
import { nextEvent } from './support/next-event.js';
import { type TestApp, TestApps } from './support/test-apps.js';

const TYPE = 'order_timeout';
const apps = new TestApps();
let booted: TestApp;
let orders: Orders;

@Injectable()
class Orders {
  failing = true;
  readonly runs: string[] = [];

  @OnDelayedTask(TYPE, { maxRetries: 0, concurrency: 50 })
  onTimeout(payload: unknown): void {
    this.runs.push(String(payload));
    if (this.failing) throw new Error('no');
  }

  @OnDelayedTask('probe')
  probe(): void {}
}

beforeEach(async () => {
  booted = await apps.boot({ queue: { embedded: true, types: { [TYPE]: { partitions: 3 } } }, providers: [Orders] });
  orders = booted.app.get(Orders);
});

afterEach(() => apps.closeAll());

async function scheduleMany(count: number, delay: number): Promise<readonly string[]> {
  const ids = Array.from({ length: count }, (_, index) => `task-${index}`);
  await booted.producer.scheduleMany(
    TYPE,
    ids.map((id) => ({ payload: id, delay, id })),
  );
  return ids;
}

/** Lets `count` tasks fail until they are dead. */
async function bury(count: number): Promise<readonly string[]> {
  let buried = 0;
  const all = new Promise<void>((resolve) => {
    booted.events.of('buried').subscribe(() => ++buried === count && resolve());
  });
  const ids = await scheduleMany(count, 0);
  await all;
  return ids;
}

/** Reads a list to its end, and returns the ids and the sizes of its pages. */
async function readAll(read: (cursor: string | null) => Promise<TaskPage<typeof TYPE>>) {
  const ids: string[] = [];
  const sizes: number[] = [];
  let cursor: string | null = null;
  do {
    const page: TaskPage<typeof TYPE> = await read(cursor);
    ids.push(...page.items.map(({ id }) => id));
    sizes.push(page.items.length);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return { ids, sizes };
}

async function refusedField(call: Promise<unknown>): Promise<string | undefined> {
  const error: unknown = await call.catch((reason: unknown) => reason);
  return error instanceof InvalidArgumentError ? error.field : undefined;
}

describe('lists', () => {
  it('are paged over all partitions, each task once', async () => {
    const scheduled = await scheduleMany(25, 3_600_000);
    const { ids, sizes } = await readAll((cursor) => booted.admin.listWaiting(TYPE, { cursor, limit: 4 }));
    expect(ids.toSorted()).toEqual(scheduled.toSorted());
    expect(Math.max(...sizes)).toBe(4);
    const whole = await booted.admin.listWaiting(TYPE);
    expect(whole.items.map(({ id }) => id)).toEqual(ids);
    expect(whole.nextCursor).toBeNull();
    expect(whole.items[0]).toMatchObject({ type: TYPE, state: 'waiting', payload: ids[0], deliveries: 0 });
  });

  it('of a type without tasks are empty', async () => {
    for (const type of [TYPE, 'never_heard_of']) {
      expect(await booted.admin.listWaiting(type)).toEqual({ items: [], nextCursor: null });
      expect(await booted.admin.listRunning(type)).toEqual({ items: [], nextCursor: null });
      expect(await booted.admin.listDead(type)).toEqual({ items: [], nextCursor: null });
    }
  });

  it.each<[string, unknown, string]>([
    ['a limit of 0', { limit: 0 }, 'limit'],
    ['a limit of 501', { limit: 501 }, 'limit'],
    ['a limit of 1.5', { limit: 1.5 }, 'limit'],
    ['a limit that is a text', { limit: '10' }, 'limit'],
    ['a strange cursor', { cursor: 'next' }, 'cursor'],
    ['a cursor of another type', { cursor: '3:0' }, 'cursor'],
    ['a number as cursor', { cursor: 0 }, 'cursor'],
    ['an unknown option', { offset: 5 }, 'offset'],
    ['null', null, 'options'],
  ])('refuse %s by name', async (_, options, field) => {
    expect(await refusedField(booted.admin.listDead(TYPE, options as object))).toBe(field);
  });
});

describe('stats', () => {
  it('add up the partitions', async () => {
    await scheduleMany(25, 3_600_000);
    const stats = await booted.admin.stats(TYPE);
    expect(stats).toMatchObject({ type: TYPE, waiting: 25, overdue: 0, running: 0, dead: 0, done: 0, paused: false });
    expect(stats.nextDueAt).toBeInstanceOf(Date);
    expect(stats.perPartition.map(({ partition }) => partition)).toEqual([0, 1, 2]);
    expect(stats.perPartition.reduce((sum, { waiting }) => sum + waiting, 0)).toBe(25);
    expect(Math.max(...stats.perPartition.map(({ waiting }) => waiting))).toBeLessThan(25);
  });

  it('of an unknown type are zero, and a bad type is refused', async () => {
    expect(await booted.admin.stats('never_heard_of')).toMatchObject({ waiting: 0, dead: 0, nextDueAt: null });
    expect(await refusedField(booted.admin.stats('a:b'))).toBe('type');
    expect(await refusedField(booted.admin.pause('{a}'))).toBe('type');
    expect(await refusedField(booted.admin.redriveAll(''))).toBe('type');
  });
});

describe('dead letters', () => {
  it('are redriven one, several and all', async () => {
    const ids = await bury(250);
    expect(await booted.admin.stats(TYPE)).toMatchObject({ dead: 250, waiting: 0 });
    await booted.admin.pause(TYPE);
    expect(await booted.admin.redrive(TYPE, 'task-0')).toMatchObject({ id: 'task-0', status: 'redriven' });
    expect(await booted.admin.redrive(TYPE, 'task-0')).toMatchObject({ id: 'task-0', status: 'not_found' });
    const several = await booted.admin.redrive(TYPE, ['task-1', 'task-0', 'task-2']);
    expect(several.map(({ id, status }) => `${id} ${status}`)).toEqual([
      'task-1 redriven',
      'task-0 not_found',
      'task-2 redriven',
    ]);
    expect(await booted.admin.redriveAll(TYPE)).toBe(247);
    expect(await booted.admin.redriveAll(TYPE)).toBe(0);
    expect(await booted.admin.stats(TYPE)).toMatchObject({ dead: 0, waiting: 250, overdue: 250, paused: true });
    const { ids: waiting } = await readAll((cursor) => booted.admin.listWaiting(TYPE, { cursor }));
    expect(waiting.toSorted()).toEqual(ids.toSorted());
  });

  it('C29 redriveAll ends although its tasks fail again at once', async () => {
    await bury(150);
    expect(await booted.admin.redriveAll(TYPE)).toBe(150);
  });

  it('are purged one and all', async () => {
    await bury(120);
    expect(await booted.admin.purgeDead(TYPE, 'task-7')).toEqual({ status: 'purged', state: 'none' });
    expect(await booted.admin.purgeDead(TYPE, 'task-7')).toEqual({ status: 'not_found', state: 'none' });
    expect(await booted.admin.purgeAllDead(TYPE)).toBe(119);
    expect(await booted.admin.stats(TYPE)).toMatchObject({ dead: 0, waiting: 0 });
  });

  it('are asked for by well-formed ids only', async () => {
    expect(await refusedField(booted.admin.redrive(TYPE, ''))).toBe('id');
    expect(await refusedField(booted.admin.redrive(TYPE, ['a', '']))).toBe('ids[1]');
    expect(await refusedField(booted.admin.purgeDead(TYPE, 7 as unknown as string))).toBe('id');
  });
});

describe('pause', () => {
  it('keeps due tasks waiting until resume', async () => {
    orders.failing = false;
    await booted.admin.pause(TYPE);
    expect(await booted.admin.stats(TYPE)).toMatchObject({ paused: true });
    await scheduleMany(3, 0);
    // A task of another type that runs to its end meanwhile proves that the application is at work.
    const probed = nextEvent(booted.events, 'completed');
    await booted.producer.schedule('probe', null, { delay: 0 });
    await probed;
    expect(await booted.admin.stats(TYPE)).toMatchObject({ overdue: 3, running: 0 });
    expect(orders.runs).toEqual([]);
    const completed = nextEvent(booted.events, 'completed', 'task-0');
    await booted.admin.resume(TYPE);
    await completed;
    expect(await booted.admin.stats(TYPE)).toMatchObject({ paused: false });
  });
});
