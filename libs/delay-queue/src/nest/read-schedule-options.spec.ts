import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { NOON, ProducerFixture, rejection, TYPE } from '../../../../test/nest/support/producer-fixture.js';
import { MAX_DELAY_MS } from '../core/duration.js';
import { readScheduleOptions } from './read-schedule-options.js';
import type { ScheduleTime } from './schedule-options.js';

let queue: ProducerFixture;

beforeEach(() => {
  queue = new ProducerFixture();
});

afterEach(() => queue.runtime.close());

describe('delay and at', () => {
  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['NaN', Number.NaN],
    ['Infinity', Infinity],
    ['-Infinity', -Infinity],
    ["'1200'", '1200'],
    ["'soon'", 'soon'],
    ["''", ''],
    ["'-5m'", '-5m'],
    ['-1', -1],
    ['2^53', 2 ** 53],
    ['1n', 1n],
    ['a Date', new Date(NOON)],
    ['an object', { minutes: 5 }],
    ['true', true],
    ['just above 100 years', MAX_DELAY_MS + 1],
  ])('C15 a delay of %s is refused by name before anything is written', async (_, delay) => {
    const error = await rejection(queue.schedule({}, { delay }));
    expect([error.name, error.code, error.field]).toEqual(['InvalidArgumentError', 'invalid_argument', 'delay']);
    expect((await rejection(queue.producer.reschedule(TYPE, 'x', { delay } as ScheduleTime))).field).toBe('delay');
    await queue.expectNothingWritten();
  });

  it.each<[string, unknown, number]>([
    ['0', 0, 0],
    ['0.4', 0.4, 1],
    ['1.5', 1.5, 2],
    ['-0', -0, 0],
    ["'1.5s'", '1.5s', 1_500],
    ["'30m'", '30m', 1_800_000],
    ['2^31', 2 ** 31, 2 ** 31],
    ['100 years', MAX_DELAY_MS, MAX_DELAY_MS],
  ])('C15 a delay of %s is accepted, fractions rounded up', async (_, delay, expectedMs) => {
    const result = await queue.schedule({}, { delay });
    expect(result).toMatchObject({ status: 'created', state: 'waiting', dueAt: new Date(NOON + expectedMs) });
  });

  it.each<[string, unknown]>([
    ['null', null],
    ['a number', NOON],
    ['a text', '2025-01-01'],
    ['an invalid Date', new Date(Number.NaN)],
    ['a Date more than 100 years ahead', new Date(NOON + MAX_DELAY_MS + 1)],
  ])('C15 an `at` of %s is refused by name', async (_, at) => {
    expect((await rejection(queue.schedule({}, { at }))).field).toBe('at');
    await queue.expectNothingWritten();
  });

  it('C15 an `at` in the past is due now, one in the future exactly then', async () => {
    const past = await queue.producer.schedule(TYPE, {}, { at: new Date(0) });
    const future = await queue.producer.schedule(TYPE, {}, { at: new Date(NOON + 1_234) });
    expect([past.dueAt, future.dueAt]).toEqual([new Date(NOON), new Date(NOON + 1_234)]);
  });

  it('takes exactly one of the two', async () => {
    expect((await rejection(queue.schedule({}, {}))).field).toBe('delay');
    expect((await rejection(queue.schedule({}, { delay: 1, at: new Date() }))).field).toBe('at');
    await queue.expectNothingWritten();
    const result = await queue.schedule({}, { delay: undefined, at: new Date(NOON) });
    expect(result).toMatchObject({ status: 'created' });
  });
});

describe('the other options', () => {
  it.each([-1, 1.5, Number.NaN, Infinity, 2 ** 53, '3', null, {}])(
    'C25 maxRetries %p is refused by name before anything is written',
    async (maxRetries) => {
      const error = await rejection(queue.schedule({}, { delay: 1, maxRetries }));
      expect([error.name, error.field]).toEqual(['InvalidArgumentError', 'maxRetries']);
      await queue.expectNothingWritten();
    },
  );

  it.each([0, 1, 1_100])('C25 maxRetries %p is kept with the task', async (maxRetries) => {
    await queue.producer.schedule(TYPE, {}, { delay: 1, id: 'x', maxRetries });
    expect(await queue.producer.get(TYPE, 'x')).toMatchObject({ maxRetries });
  });

  it.each<[string, unknown, string]>([
    ['onDuplicate', { delay: 1, onDuplicate: 'overwrite' }, 'onDuplicate'],
    ['an unknown option', { delay: 1, retries: 3 }, 'retries'],
    ['options that are missing', undefined, 'options'],
    ['options of null', null, 'options'],
    ['options that are a delay', 1_000, 'options'],
  ])('refuses %s by name', async (_, options, field) => {
    expect((await rejection(queue.schedule({}, options))).field).toBe(field);
    await queue.expectNothingWritten();
  });

  it.each(['', 'a:b', 'a b', '{slot}', 'é', 'x'.repeat(101), undefined, null, 7])(
    'C58 refuses the task type %p in every method',
    async (type) => {
      const { producer } = queue;
      const calls = [
        producer.schedule(type as string, {}, { delay: 1 }),
        producer.scheduleMany(type as string, []),
        producer.reschedule(type as string, 'x', { delay: 1 }),
        producer.runNow(type as string, 'x'),
        producer.cancel(type as string, 'x'),
        producer.get(type as string, 'x'),
      ];
      for (const error of await Promise.all(calls.map(rejection))) expect(error.field).toBe('type');
      expect(queue.events).toEqual([]);
    },
  );
});

describe('payloads', () => {
  const circular: Record<string, unknown> = {};
  circular['self'] = circular;

  it.each<[string, unknown, string]>([
    ['1n', { n: 1n }, 'payload.n'],
    ['a circular reference', circular, 'payload.self'],
    ['a function', { f: () => 1 }, 'payload.f'],
    ['a symbol', { s: Symbol('s') }, 'payload.s'],
    ['a Map', { deep: [new Map()] }, 'payload.deep[0]'],
    ['a Date', { at: new Date(NOON) }, 'payload.at'],
    ['a Buffer', { bytes: Buffer.from('x') }, 'payload.bytes'],
    ['NaN', { n: Number.NaN }, 'payload.n'],
    ['undefined in an array', [undefined], 'payload[0]'],
    [
      'a toJSON that throws',
      {
        toJSON: () => {
          throw new Error('no');
        },
      },
      'payload',
    ],
  ])('C31 %s is refused by its path before anything is written', async (_, payload, field) => {
    const error = await rejection(queue.schedule(payload, { delay: 1 }));
    expect([error.name, error.code, error.field]).toEqual(['InvalidPayloadError', 'invalid_payload', field]);
    await queue.expectNothingWritten();
  });

  it.each<[string, unknown, unknown]>([
    ['an object', { a: [1, 'é', null, true, { b: 0.5 }] }, { a: [1, 'é', null, true, { b: 0.5 }] }],
    ['null', null, null],
    ['undefined, as null', undefined, null],
    ['a text', 'text', 'text'],
    ['a property that is undefined, left out', { a: 1, b: undefined }, { a: 1 }],
  ])('C31 %s comes back', async (_, payload, expected) => {
    await queue.schedule(payload, { delay: 1, id: 'x' });
    expect((await queue.producer.get(TYPE, 'x'))?.payload).toStrictEqual(expected);
  });

  it('C31 a payload above the limit of its type is refused', async () => {
    await queue.runtime.close();
    queue = new ProducerFixture({ options: { types: { [TYPE]: { payloadLimit: 10 } } } });
    expect((await rejection(queue.schedule('123456789', { delay: 1 }))).field).toBe('payload');
    expect(await queue.schedule('12345678', { delay: 1 })).toMatchObject({ status: 'created' });
  });
});

describe('ids', () => {
  const accepted = [
    'order:1',
    'a:b:c',
    'https://x/y?z',
    '{slot}',
    '}{',
    '123',
    ' ',
    'é',
    'é'.normalize('NFD'),
    '👍',
    '\u0000',
    '__proto__',
    'constructor',
    'x'.repeat(512),
  ];

  it('C32 every well-formed id of 1 to 512 bytes works and is distinct', async () => {
    for (const id of accepted) {
      const result = await queue.producer.schedule(TYPE, { id }, { delay: '1h', id });
      expect(result).toMatchObject({ id, status: 'created', state: 'waiting' });
    }
    for (const id of accepted) {
      expect(await queue.producer.get(TYPE, id)).toMatchObject({ id, state: 'waiting', payload: { id } });
      expect(await queue.producer.reschedule(TYPE, id, { delay: '2h' })).toMatchObject({ status: 'rescheduled' });
      expect(await queue.producer.cancel(TYPE, id)).toEqual({ status: 'cancelled', state: 'none' });
    }
    expect((await queue.store.stats({ type: TYPE, partition: 0 })).waiting).toBe(0);
  });

  it.each<[string, unknown]>([
    ['the empty text', ''],
    ['1,000 characters', 'x'.repeat(1_000)],
    ['513 bytes in fewer characters', 'é'.repeat(257)],
    ['a lone surrogate', 'a\ud800'],
    ['a number', 123],
    ['null', null],
  ])('C32 %s is refused when scheduling', async (_, id) => {
    expect((await rejection(queue.schedule({}, { delay: 1, id }))).field).toBe('id');
    await queue.expectNothingWritten();
    const { producer } = queue;
    const others = [
      producer.reschedule(TYPE, id as string, { delay: 1 }),
      producer.runNow(TYPE, id as string),
      producer.cancel(TYPE, id as string),
      producer.get(TYPE, id as string),
    ];
    for (const error of await Promise.all(others.map(rejection))) expect(error.field).toBe('id');
  });

  it('gives a task without an id one of its own', async () => {
    const [first, second] = await Promise.all([
      queue.producer.schedule(TYPE, {}, { delay: 1 }),
      queue.producer.schedule(TYPE, {}, { delay: 1 }),
    ]);
    expect(first.id).toMatch(/^[\w-]{21}$/);
    expect(second.id).not.toBe(first.id);
  });

  it('reads how many replicas to wait for, and for how long', () => {
    const { durability } = readScheduleOptions({ delay: 0, durability: { replicas: 2, timeoutMs: 200 } }, 0);
    expect(durability).toEqual({ replicas: 2, timeoutMs: 200 });
    expect(readScheduleOptions({ delay: 0 }, 0).durability).toBeUndefined();
  });

  it.each([
    [1, 'durability'],
    [null, 'durability'],
    [{}, 'durability.replicas'],
    [{ replicas: 0, timeoutMs: 1 }, 'durability.replicas'],
    [{ replicas: 1.5, timeoutMs: 1 }, 'durability.replicas'],
    [{ replicas: 1 }, 'durability.timeoutMs'],
    [{ replicas: 1, timeoutMs: 0 }, 'durability.timeoutMs'],
    [{ replicas: 1, timeoutMs: 5_001 }, 'durability.timeoutMs'],
  ])('refuses a durability of %j by name', (durability, field) => {
    const read = () => readScheduleOptions({ delay: 0, durability }, 0);
    expect(read).toThrow(expect.objectContaining({ code: 'invalid_argument', field }));
  });
});
