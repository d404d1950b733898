import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { NOON, ProducerFixture, rejection, TYPE } from '../../../../test/nest/support/producer-fixture.js';
import { InvalidPayloadError, QueueClosedError } from '../core/errors.js';
import type { TaskTypeOptions } from '../options/queue-options.js';
import { deferred } from '../runtime/runtime-harness.spec-support.js';

const schema = z.object({ to: z.string(), at: z.coerce.date().default(new Date(0)) });

let fixtures: ProducerFixture[];

beforeEach(() => {
  fixtures = [];
});

afterEach(() => Promise.all(fixtures.map(({ runtime }) => runtime.close())));

function newQueue(options: TaskTypeOptions): ProducerFixture {
  const queue = new ProducerFixture({ options: { types: { [TYPE]: options } } });
  fixtures.push(queue);
  return queue;
}

/** A check that answers when a test says so. */
function slowSchema() {
  const check = deferred();
  const slow = z.string().refine(async (text) => {
    await check.promise;
    return text !== 'unfit';
  }, 'is unfit');
  return { schema: slow, answer: check.resolve };
}

describe('scheduling a payload that does not fit the schema', () => {
  it('rejects with a typed error that lists the issues, and writes nothing', async () => {
    const queue = newQueue({ schema });
    const error = await rejection(queue.schedule({ to: 7, at: 'soon' }, { delay: '1m' }));
    expect(error).toBeInstanceOf(InvalidPayloadError);
    expect(error).toMatchObject({
      code: 'invalid_payload',
      field: 'payload.to',
      issues: [
        { path: 'payload.to', message: expect.any(String) },
        { path: 'payload.at', message: expect.any(String) },
      ],
    });
    expect(error.message).toMatch(/^payload\.to: .+; payload\.at: .+/);
    await queue.expectNothingWritten();
  });

  it('does so, too, when the schema answers later', async () => {
    const slow = slowSchema();
    const queue = newQueue({ schema: slow.schema });
    const refused = rejection(queue.schedule('unfit', { delay: '1m' }));
    slow.answer();
    expect(await refused).toMatchObject({
      code: 'invalid_payload',
      issues: [{ path: 'payload', message: 'is unfit' }],
    });
    await queue.expectNothingWritten();
  });

  it('of many names the item, and writes none of them', async () => {
    const queue = newQueue({ schema });
    const items = [{ to: 'a' }, { to: 7 }].map((payload) => ({ payload, delay: '1m' as const }));
    expect(await rejection(queue.producer.scheduleMany(TYPE, items))).toMatchObject({
      code: 'invalid_payload',
      field: 'items[1].payload.to',
      issues: [{ path: 'items[1].payload.to' }],
    });
    await queue.expectNothingWritten();
  });

  it('of many does so, too, when the schema answers later, and one is no JSON besides', async () => {
    const slow = slowSchema();
    const queue = newQueue({ schema: slow.schema });
    const itemsOf = (...payloads: unknown[]) => payloads.map((payload) => ({ payload, delay: '1m' as const }));
    const late = rejection(queue.producer.scheduleMany(TYPE, itemsOf('fit', 'unfit')));
    const atOnce = rejection(queue.producer.scheduleMany(TYPE, itemsOf('unfit', 1n)));
    expect(await atOnce).toMatchObject({ field: 'items[1].payload' });
    slow.answer();
    expect(await late).toMatchObject({ code: 'invalid_payload', field: 'items[1].payload' });
    await queue.expectNothingWritten();
  });

  it('says that the queue is closed, when it was closed while the schema took its time', async () => {
    const slow = slowSchema();
    const queue = newQueue({ schema: slow.schema });
    const one = queue.schedule('x', { delay: '1m' });
    const many = queue.producer.scheduleMany(TYPE, [
      { payload: 'x', delay: '1m' },
      { payload: 'y', delay: '1m' },
    ]);
    const refused = Promise.all([one, many].map((call) => expect(call).rejects.toThrow(QueueClosedError)));
    await queue.runtime.close();
    slow.answer();
    await refused;
  });

  it('rejects, too, when the schema throws: it has not said that the payload fits', async () => {
    const cause = new Error('away');
    const throwing = { '~standard': { version: 1, vendor: 'test', validate: () => Promise.reject(cause) } } as const;
    const queue = newQueue({ schema: throwing });
    expect(await rejection(queue.schedule('x', { delay: 0 }))).toMatchObject({
      code: 'invalid_payload',
      message: 'payload: could not be checked, the schema threw',
      cause,
    });
    await queue.expectNothingWritten();
  });
});

describe('scheduling a payload that fits', () => {
  it('stores it as it was given, and not what the schema makes of it', async () => {
    const queue = newQueue({ schema });
    await queue.schedule({ to: 'a', at: '2025-01-01', more: 1 }, { delay: '1m', id: 'x' });
    const view = await queue.producer.get(TYPE, 'x');
    expect(view?.payload).toEqual({ to: 'a', at: '2025-01-01', more: 1 });
  });

  it('has the schema look at what the handler will see, after the way through JSON', async () => {
    const seen: unknown[] = [];
    const queue = newQueue({ schema: z.unknown().refine((payload) => seen.push(payload)) });
    class Payload {
      readonly to = 'a';
      readonly nothing = undefined;
    }
    await queue.schedule(new Payload(), { delay: '1m' });
    await queue.schedule(undefined, { delay: '1m' });
    expect(seen).toStrictEqual([{ to: 'a' }, null]);
  });

  it('leaves the payload of the caller alone', async () => {
    const meddling = z.unknown().refine((payload) => delete (payload as { to?: string }).to);
    const queue = newQueue({ schema: meddling });
    const payload = { to: 'a' };
    await queue.schedule(payload, { delay: '1m', id: 'x' });
    expect(payload).toEqual({ to: 'a' });
    expect((await queue.producer.get(TYPE, 'x'))?.payload).toEqual({ to: 'a' });
  });

  it('C51 keeps the order of the calls for a task while a schema takes its time', async () => {
    const slow = slowSchema();
    const { producer } = newQueue({ schema: slow.schema });
    const calls = Promise.all([
      producer.schedule(TYPE, 'x', { delay: '1m', id: 'x' }),
      producer.cancel(TYPE, 'x'),
      producer.scheduleMany(TYPE, [{ payload: 'y', delay: '2m', id: 'x' }]),
      producer.reschedule(TYPE, 'x', { delay: '3m' }),
    ]);
    // Other tasks do not wait.
    expect(await producer.cancel(TYPE, 'other')).toMatchObject({ status: 'not_found' });
    slow.answer();
    const [scheduled, cancelled, [again], moved] = await calls;
    expect([scheduled.status, cancelled.status, again?.status, moved.status]).toEqual([
      'created',
      'cancelled',
      'created',
      'rescheduled',
    ]);
    expect((await producer.get(TYPE, 'x'))?.dueAt).toEqual(new Date(NOON + 180_000));
  });
});

describe('calls of which only some wait for a schema', () => {
  it('C51 keep the order for a task', async () => {
    const check = deferred();
    const schema: TaskTypeOptions['schema'] = {
      '~standard': {
        version: 1,
        vendor: 'test',
        validate: (value) => (value === 'slow' ? check.promise.then(() => ({ value })) : { value }),
      },
    };
    const { producer } = newQueue({ schema });
    const item = (payload: string, id: string) => ({ payload, id, delay: '1m' as const });
    const slow = producer.schedule(TYPE, 'slow', { delay: '1m', id: 'x' });
    const quick = producer.scheduleMany(TYPE, [item('quick', 'x'), item('quick', 'y')]);
    expect(await producer.cancel(TYPE, 'z')).toMatchObject({ status: 'not_found' });
    check.resolve();
    expect(await slow).toMatchObject({ status: 'created' });
    expect((await quick).map(({ status }) => status)).toEqual(['duplicate', 'created']);
    expect((await producer.get(TYPE, 'x'))?.payload).toBe('slow');
  });
});

describe('the version of a payload', () => {
  it('is the one that this process writes, and shown with the task', async () => {
    const { producer } = newQueue({ version: 3 });
    await producer.schedule(TYPE, { orderId: '1' }, { delay: '1m', id: 'x', maxRetries: 2 });
    await producer.scheduleMany(TYPE, [{ payload: { orderId: '2' }, delay: '1m', id: 'y' }]);
    expect(await producer.get(TYPE, 'x')).toMatchObject({ payload: { orderId: '1' }, version: 3, maxRetries: 2 });
    expect(await producer.get(TYPE, 'y')).toMatchObject({ payload: { orderId: '2' }, version: 3 });
  });
});
