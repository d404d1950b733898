import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { NOON, ProducerFixture, rejection, TYPE } from '../../../../test/nest/support/producer-fixture.js';
import { QueueClosedError, StoreRejectedError } from '../core/errors.js';
import { VirtualClock } from '../core/virtual-clock.js';
import { MemoryTaskStore } from '../memory/memory-task-store.js';
import { PartialScheduleError } from './partial-schedule-error.js';
import type { ScheduleItem, ScheduleOptions } from './schedule-options.js';

let queue: ProducerFixture;

beforeEach(() => {
  queue = new ProducerFixture();
});

afterEach(() => queue.runtime.close());

describe('results', () => {
  it('tell what each call did', async () => {
    const { producer } = queue;
    const dueAt = new Date(NOON + 60_000);
    const schedule = (options: Partial<ScheduleOptions> = {}) =>
      producer.schedule(TYPE, {}, { delay: '1m', id: 'x', ...options } as ScheduleOptions);
    expect(await schedule()).toEqual({ id: 'x', status: 'created', state: 'waiting', dueAt });
    expect(await schedule({ delay: '5m' })).toEqual({ id: 'x', status: 'duplicate', state: 'waiting', dueAt });
    const later = new Date(NOON + 300_000);
    expect(await schedule({ delay: '5m', onDuplicate: 'replace' })).toEqual({
      id: 'x',
      status: 'replaced',
      state: 'waiting',
      dueAt: later,
    });
    expect(await producer.reschedule(TYPE, 'x', { at: dueAt })).toEqual({
      status: 'rescheduled',
      state: 'waiting',
      dueAt,
    });
    expect(await producer.runNow(TYPE, 'x')).toEqual({
      status: 'rescheduled',
      state: 'waiting',
      dueAt: new Date(NOON),
    });
    expect(await producer.cancel(TYPE, 'x')).toEqual({ status: 'cancelled', state: 'none' });
    expect(await producer.cancel(TYPE, 'x')).toEqual({ status: 'not_found', state: 'none' });
    expect(await producer.reschedule(TYPE, 'x', { delay: 0 })).toEqual({
      status: 'not_found',
      state: 'none',
      dueAt: null,
    });
    expect(await producer.runNow(TYPE, 'x')).toEqual({ status: 'not_found', state: 'none', dueAt: null });
    expect(await producer.get(TYPE, 'x')).toBeNull();
  });

  it('show everything that is known of a waiting task', async () => {
    await queue.producer.schedule(TYPE, { orderId: '1' }, { delay: '1m', id: 'x' });
    expect(await queue.producer.get(TYPE, 'x')).toEqual({
      type: TYPE,
      id: 'x',
      state: 'waiting',
      payload: { orderId: '1' },
      version: 1,
      createdAt: new Date(NOON),
      dueAt: new Date(NOON + 60_000),
      deliveries: 0,
      failures: 0,
      lostLeases: 0,
      redrives: 0,
      maxRetries: null,
      leaseUntil: null,
      diedAt: null,
      reason: null,
      error: null,
      doneUntil: null,
      unreadable: null,
    });
  });

  it('C51 calls made in one tick are applied in their order', async () => {
    const { producer } = queue;
    const [scheduled, cancelled, again] = await Promise.all([
      producer.schedule(TYPE, {}, { delay: 1, id: 'x' }),
      producer.cancel(TYPE, 'x'),
      producer.schedule(TYPE, {}, { delay: 1, id: 'x' }),
    ]);
    expect([scheduled.status, cancelled.status, again.status]).toEqual(['created', 'cancelled', 'created']);
  });

  it('calls after the queue was closed reject with a named error', async () => {
    await queue.runtime.close();
    await expect(queue.schedule({}, { delay: 1 })).rejects.toThrow(QueueClosedError);
    await expect(queue.producer.get(TYPE, 'x')).rejects.toThrow(QueueClosedError);
  });
});

describe('scheduleMany', () => {
  const many = (items: unknown) => queue.producer.scheduleMany(TYPE, items as ScheduleItem<unknown>[]);

  it('answers in the order of the items', async () => {
    const results = await queue.producer.scheduleMany(TYPE, [
      { payload: 1, delay: 1, id: 'a' },
      { payload: 2, at: new Date(NOON + 5), id: 'b' },
      { payload: 3, delay: 1, id: 'a' },
    ]);
    expect(results.map(({ id, status }) => `${id} ${status}`)).toEqual(['a created', 'b created', 'a duplicate']);
    expect(await many([])).toEqual([]);
  });

  it.each<[string, unknown, string]>([
    ['no array', { payload: 1, delay: 1 }, 'items'],
    ['an item that is null', [{ payload: 1, delay: 1 }, null], 'items[1]'],
    ['a hole', Object.assign(Array<unknown>(2), { 1: { payload: 1, delay: 1 } }), 'items[0]'],
    [
      'a delay',
      [
        { payload: 1, delay: 1 },
        { payload: 1, delay: '1200' },
      ],
      'items[1].delay',
    ],
    ['an id', [{ payload: 1, delay: 1, id: '' }], 'items[0].id'],
    ['an unknown option', [{ payload: 1, delay: 1, prio: 1 }], 'items[0].prio'],
    [
      'a payload',
      [
        { payload: 1, delay: 1 },
        { payload: { n: 1n }, delay: 1 },
      ],
      'items[1].payload.n',
    ],
  ])('refuses %s by its path before any item is written', async (_, items, field) => {
    const error = await rejection(many(items));
    expect(error.field).toBe(field);
    expect(error.message.startsWith(`${field}: `)).toBe(true);
    await queue.expectNothingWritten();
  });

  it('names what failed, and keeps the results of the rest', async () => {
    await queue.runtime.close();
    const clock = new VirtualClock(NOON);
    queue = new ProducerFixture({ clock, store: new RefusingStore('b', { clock }) });
    const error: unknown = await many([
      { payload: 1, delay: 1, id: 'a' },
      { payload: 2, delay: 1, id: 'b' },
    ]).catch((reason: unknown) => reason);
    if (!(error instanceof PartialScheduleError)) throw new Error('expected a PartialScheduleError', { cause: error });
    expect(error.code).toBe('partial_schedule');
    expect(error.message).toContain('1 of 2');
    expect(error.results[0]).toMatchObject({ id: 'a', status: 'created' });
    expect(error.results[1]).toBeInstanceOf(StoreRejectedError);
    expect(await queue.producer.get(TYPE, 'a')).toMatchObject({ state: 'waiting' });
  });
});

/** A store that is full for one id. */
class RefusingStore extends MemoryTaskStore {
  constructor(
    private readonly refusedId: string,
    options: ConstructorParameters<typeof MemoryTaskStore>[0],
  ) {
    super(options);
  }

  override async mutate(...[ref, mutations]: Parameters<MemoryTaskStore['mutate']>) {
    const allowed = await super.mutate(
      ref,
      mutations.filter(({ id }) => id !== this.refusedId),
    );
    const answers = [...allowed];
    return mutations.map(({ id }) =>
      id === this.refusedId
        ? { ok: false as const, error: new StoreRejectedError('OOM', 'the store is full') }
        : (answers.shift() ?? { ok: false as const, error: new StoreRejectedError('LOST', 'no answer') }),
    );
  }
}
