import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MAX_TIMER_MS } from '../core/clock.js';
import { MAX_DELAY_MS } from '../core/duration.js';
import { ConfigurationError } from '../core/errors.js';
import type { BackoffOptions, HandlerOptions, QueueOptions, TaskTypeOptions } from './queue-options.js';
import { QueueSettings } from './queue-settings.js';

const TYPE = 'order_timeout';
const DAY_MS = 86_400_000;

const settingsOf = (options: TaskTypeOptions) => new QueueSettings({ types: { [TYPE]: options } }).forType(TYPE);

const refusal = (field: string, problem: unknown = expect.any(String)) =>
  expect.objectContaining({ name: 'ConfigurationError', code: 'configuration', field, message: problem });

/** Expects an option to be refused wherever it may stand, each time under its own path. */
function expectRefusedEverywhere(key: string, value: unknown, path = key): void {
  const options = { [key]: value };
  expect(() => settingsOf(options)).toThrow(refusal(`types.${TYPE}.${path}`));
  expect(() => new QueueSettings({ defaults: options })).toThrow(refusal(`defaults.${path}`));
  expect(() => new QueueSettings().addHandler(TYPE, options, 'Orders.cancel')).toThrow(
    refusal(`Orders.cancel.${path}`),
  );
}

describe('QueueSettings', () => {
  describe('defaults', () => {
    it.each([undefined, {}])('are those of the documentation when the options are %p', (options) => {
      const settings = new QueueSettings(options);
      expect(settings.queue).toEqual({ prefix: 'delay-queue', shutdownTimeoutMs: 25_000, storeTimeoutMs: 5_000 });
      expect(settings.namedTypes).toEqual([]);
      expect(settings.forType(TYPE)).toEqual({
        type: TYPE,
        partitions: 1,
        dedupeForMs: 0,
        payloadLimitBytes: 262_144,
        deadKeepMs: 14 * DAY_MS,
        deadMaxPerPartition: 10_000,
        concurrency: 10,
        handlerTimeoutMs: null,
        maxRetries: 3,
        backoff: { type: 'exponential', baseMs: 5_000, maxMs: 3_600_000, jitter: 0.2 },
        leaseMs: 30_000,
        maxLostLeases: 5,
        stuckAfterMs: 600_000,
        payloadCheck: null,
        version: 1,
        upcast: {},
        onUnknownVersion: 'bury',
      });
    });

    it.each<[BackoffOptions, unknown]>([
      [{ type: 'exponential' }, { type: 'exponential', baseMs: 5_000, maxMs: 3_600_000, jitter: 0.2 }],
      [
        { type: 'exponential', base: '1s', max: '1m', jitter: 0 },
        { type: 'exponential', baseMs: 1_000, maxMs: 60_000, jitter: 0 },
      ],
      [
        { type: 'fixed', delay: '10s' },
        { type: 'fixed', delayMs: 10_000, jitter: 0.2 },
      ],
      [
        { type: 'fixed', delay: 0, jitter: 1 },
        { type: 'fixed', delayMs: 0, jitter: 1 },
      ],
    ])('of a back-off fill in what %j leaves out', (backoff, expected) => {
      expect(settingsOf({ backoff }).backoff).toEqual(expected);
    });

    it('of a custom back-off are a longest wait of 1 h; the function stays the same', () => {
      const delay = () => 1;
      const { backoff } = settingsOf({ backoff: { type: 'custom', delay } });
      expect(backoff).toEqual({ type: 'custom', delay, maxMs: 3_600_000 });
      expect(settingsOf({ backoff: { type: 'custom', delay, max: '2m' } }).backoff).toMatchObject({ maxMs: 120_000 });
    });
  });

  it('takes every option of a type', () => {
    const options = {
      concurrency: 20,
      handlerTimeout: '30s',
      maxRetries: 7,
      backoff: { type: 'fixed', delay: '1s', jitter: 0 },
      lease: '1m',
      maxLostLeases: 2,
      stuckAfter: '5m',
      partitions: 4,
      dedupeFor: '1d',
      payloadLimit: 1_000,
      deadLetters: { keepFor: '7d', max: 100 },
    } as const;
    expect(settingsOf(options)).toEqual({
      type: TYPE,
      concurrency: 20,
      handlerTimeoutMs: 30_000,
      maxRetries: 7,
      backoff: { type: 'fixed', delayMs: 1_000, jitter: 0 },
      leaseMs: 60_000,
      maxLostLeases: 2,
      stuckAfterMs: 300_000,
      partitions: 4,
      dedupeForMs: DAY_MS,
      payloadLimitBytes: 1_000,
      deadKeepMs: 7 * DAY_MS,
      deadMaxPerPartition: 25,
      payloadCheck: null,
      version: 1,
      upcast: {},
      onUnknownVersion: 'bury',
    });
  });

  it('takes every option of a queue', () => {
    const settings = new QueueSettings({ prefix: 'shop', shutdownTimeout: '10s', storeTimeout: 250 });
    expect(settings.queue).toEqual({ prefix: 'shop', shutdownTimeoutMs: 10_000, storeTimeoutMs: 250 });
  });

  it('lists the types that the options name', () => {
    expect(new QueueSettings({ types: { a: {}, b: { partitions: 2 } } }).namedTypes).toEqual(['a', 'b']);
  });

  describe('precedence', () => {
    const keys = ['concurrency', 'maxRetries', 'maxLostLeases'] as const;
    const layer = fc.record(
      {
        concurrency: fc.integer({ min: 1, max: 99 }),
        maxRetries: fc.nat(99),
        maxLostLeases: fc.integer({ min: 1, max: 99 }),
      },
      { requiredKeys: [] },
    );

    it('is: types, else the decorator, else defaults, else built in; for each option by itself', () => {
      const builtIn = { concurrency: 10, maxRetries: 3, maxLostLeases: 5 };
      fc.assert(
        fc.property(layer, layer, layer, (own, decorator, defaults) => {
          const settings = new QueueSettings({ types: { [TYPE]: own }, defaults });
          settings.addHandler(TYPE, decorator, 'Orders.cancel');
          const resolved = settings.forType(TYPE);
          return keys.every((key) => resolved[key] === (own[key] ?? decorator[key] ?? defaults[key] ?? builtIn[key]));
        }),
        { numRuns: 200 },
      );
    });

    it('takes an option that is undefined for one that is not there', () => {
      const nothing = { concurrency: undefined, handlerTimeout: undefined } as unknown as HandlerOptions;
      const settings = new QueueSettings({
        types: { [TYPE]: nothing },
        defaults: { concurrency: 7, handlerTimeout: '1s' },
      });
      settings.addHandler(TYPE, nothing, 'Orders.cancel');
      expect(settings.forType(TYPE)).toMatchObject({ concurrency: 7, handlerTimeoutMs: 1_000 });
    });

    it('lets a handler time-out of null win over one that stands further out', () => {
      const settings = new QueueSettings({ types: { [TYPE]: { handlerTimeout: null } } });
      settings.addHandler(TYPE, { handlerTimeout: '5s' }, 'Orders.cancel');
      expect(settings.forType(TYPE).handlerTimeoutMs).toBeNull();
    });

    it('takes a back-off as a whole, and mixes none out of two', () => {
      const settings = new QueueSettings({
        types: { [TYPE]: { backoff: { type: 'exponential', base: '1s' } } },
        defaults: { backoff: { type: 'exponential', max: '10s' } },
      });
      expect(settings.forType(TYPE).backoff).toMatchObject({ baseMs: 1_000, maxMs: 3_600_000 });
    });

    it('sees a decorator that comes after the settings were first asked for', () => {
      const settings = new QueueSettings();
      expect(settings.forType(TYPE).concurrency).toBe(10);
      settings.addHandler(TYPE, { concurrency: 2 }, 'Orders.cancel');
      expect(settings.forType(TYPE).concurrency).toBe(2);
    });

    it('keeps the options of one type away from every other', () => {
      const settings = new QueueSettings({ types: { [TYPE]: { concurrency: 2, partitions: 4 } } });
      settings.addHandler(TYPE, { maxRetries: 9 }, 'Orders.cancel');
      expect(settings.forType('other')).toMatchObject({ concurrency: 10, partitions: 1, maxRetries: 3 });
    });

    it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])(
      'finds nothing under %p that the options do not name',
      (type) => {
        expect(new QueueSettings({ types: { a: {} } }).forType(type)).toMatchObject({ type, partitions: 1 });
      },
    );

    it('resolves a type once', () => {
      const settings = new QueueSettings();
      expect(settings.forType(TYPE)).toBe(settings.forType(TYPE));
    });
  });

  describe('bounds', () => {
    it.each<[keyof HandlerOptions, unknown, keyof ReturnType<typeof settingsOf>, unknown]>([
      ['concurrency', 1, 'concurrency', 1],
      ['concurrency', 1_000, 'concurrency', 1_000],
      ['maxRetries', 0, 'maxRetries', 0],
      ['maxRetries', 1, 'maxRetries', 1],
      ['maxLostLeases', 1, 'maxLostLeases', 1],
      ['handlerTimeout', 1, 'handlerTimeoutMs', 1],
      ['handlerTimeout', null, 'handlerTimeoutMs', null],
      ['handlerTimeout', MAX_TIMER_MS, 'handlerTimeoutMs', MAX_TIMER_MS],
      ['lease', 100, 'leaseMs', 100],
      ['lease', '1d', 'leaseMs', DAY_MS],
      ['stuckAfter', 1, 'stuckAfterMs', 1],
      ['stuckAfter', '100y', 'stuckAfterMs', MAX_DELAY_MS],
    ])('allow %s %p', (key, value, resolvedKey, resolved) => {
      expect(settingsOf({ [key]: value })[resolvedKey]).toBe(resolved);
      expect(new QueueSettings({ defaults: { [key]: value } }).forType(TYPE)[resolvedKey]).toBe(resolved);
    });

    it.each([
      ['concurrency', 0],
      ['concurrency', 1_001],
      ['concurrency', 1.5],
      ['concurrency', '10'],
      ['concurrency', null],
      ['handlerTimeout', 0],
      ['handlerTimeout', MAX_TIMER_MS + 1],
      ['handlerTimeout', '25d'],
      ['handlerTimeout', '1200'],
      ['lease', 99],
      ['lease', DAY_MS + 1],
      ['lease', null],
      ['maxLostLeases', 0],
      ['maxLostLeases', 2.5],
      ['stuckAfter', 0],
      ['stuckAfter', 'soon'],
      ['backoff', 'exponential'],
      ['backoff', null],
    ])('refuse %s %p in types, in defaults and in a decorator', (key, value) => {
      expectRefusedEverywhere(key, value);
    });

    it.each([-1, 1.5, NaN, Infinity, '3', 3n, null])('C25 refuse maxRetries %p', (maxRetries) => {
      expectRefusedEverywhere('maxRetries', maxRetries);
    });

    it.each([
      [{ type: 'exponential', base: 0 }, 'base'],
      [{ type: 'exponential', base: -1 }, 'base'],
      [{ type: 'exponential', base: 2, max: 1 }, 'max'],
      [{ type: 'exponential', base: '2h' }, 'max'],
      [{ type: 'exponential', max: '1200' }, 'max'],
      [{ type: 'exponential', jitter: -0.1 }, 'jitter'],
      [{ type: 'exponential', jitter: 1.1 }, 'jitter'],
      [{ type: 'exponential', jitter: NaN }, 'jitter'],
      [{ type: 'exponential', delay: '1s' }, 'delay'],
      [{ type: 'fixed' }, 'delay'],
      [{ type: 'fixed', delay: NaN }, 'delay'],
      [{ type: 'fixed', delay: '1s', jitter: 2 }, 'jitter'],
      [{ type: 'fixed', delay: '1s', max: '1h' }, 'max'],
      [{ type: 'custom' }, 'delay'],
      [{ type: 'custom', delay: '1s' }, 'delay'],
      [{ type: 'custom', delay: () => 1, max: -1 }, 'max'],
      [{ type: 'custom', delay: () => 1, jitter: 0 }, 'jitter'],
      [{ type: 'linear' }, 'type'],
      [{}, 'type'],
    ])('refuse the back-off %j', (backoff, key) => {
      expectRefusedEverywhere('backoff', backoff, `backoff.${key}`);
    });

    it('allow a longest wait that equals the first', () => {
      expect(settingsOf({ backoff: { type: 'exponential', base: '2h', max: '2h' } }).backoff).toMatchObject({
        baseMs: 7_200_000,
        maxMs: 7_200_000,
      });
    });

    it.each<[TaskTypeOptions, Partial<ReturnType<typeof settingsOf>>]>([
      [{ partitions: 1 }, { partitions: 1 }],
      [{ partitions: 256 }, { partitions: 256 }],
      [{ dedupeFor: 0 }, { dedupeForMs: 0 }],
      [{ dedupeFor: '100y' }, { dedupeForMs: MAX_DELAY_MS }],
      [{ payloadLimit: 1 }, { payloadLimitBytes: 1 }],
      [{ payloadLimit: 1_000_000 }, { payloadLimitBytes: 1_000_000 }],
      [{ deadLetters: {} }, { deadKeepMs: 14 * DAY_MS, deadMaxPerPartition: 10_000 }],
      [{ deadLetters: { keepFor: 0, max: 0 } }, { deadKeepMs: 0, deadMaxPerPartition: 0 }],
    ])('allow %j', (options, resolved) => {
      expect(settingsOf(options)).toMatchObject(resolved);
    });

    it.each([
      ['partitions', 0],
      ['partitions', 257],
      ['partitions', 1.5],
      ['partitions', '4'],
      ['dedupeFor', -1],
      ['dedupeFor', '101y'],
      ['dedupeFor', null],
      ['payloadLimit', 0],
      ['payloadLimit', 1_000_001],
      ['payloadLimit', '256kb'],
      ['deadLetters', null],
      ['deadLetters', 100],
    ])('refuse %s %p for a type', (key, value) => {
      expect(() => settingsOf({ [key]: value })).toThrow(refusal(`types.${TYPE}.${key}`));
    });

    it.each([
      [{ keepFor: -1 }, 'keepFor'],
      [{ keepFor: '14' }, 'keepFor'],
      [{ max: -1 }, 'max'],
      [{ max: 1.5 }, 'max'],
      [{ count: 1 }, 'count'],
    ])('refuse the dead letters %j', (deadLetters, key) => {
      expect(() => settingsOf({ deadLetters: deadLetters as object })).toThrow(
        refusal(`types.${TYPE}.deadLetters.${key}`),
      );
    });

    it.each([
      [{ shutdownTimeout: 2_000 }, { shutdownTimeoutMs: 2_000 }],
      [{ shutdownTimeout: MAX_TIMER_MS }, { shutdownTimeoutMs: MAX_TIMER_MS }],
      [{ storeTimeout: 10 }, { storeTimeoutMs: 10 }],
      [{ storeTimeout: MAX_TIMER_MS }, { storeTimeoutMs: MAX_TIMER_MS }],
      [{ prefix: 'a' }, { prefix: 'a' }],
      [{ prefix: 'x'.repeat(100) }, { prefix: 'x'.repeat(100) }],
    ])('allow the queue option %j', (options, resolved) => {
      expect(new QueueSettings(options).queue).toMatchObject(resolved);
    });

    it.each([
      ['shutdownTimeout', 1_999],
      ['shutdownTimeout', MAX_TIMER_MS + 1],
      ['shutdownTimeout', null],
      ['storeTimeout', 9],
      ['storeTimeout', MAX_TIMER_MS + 1],
      ['storeTimeout', '5'],
      ['prefix', ''],
      ['prefix', null],
      ['prefix', 7],
      ['types', null],
      ['types', []],
      ['types', new Map()],
      ['defaults', null],
      ['defaults', 7],
    ])('refuse the queue option %s %p', (key, value) => {
      expect(() => new QueueSettings({ [key]: value })).toThrow(refusal(key));
    });

    it.each([null, 7, 'redis://localhost', []])('refuse the options %p', (options) => {
      expect(() => new QueueSettings(options as unknown as QueueOptions)).toThrow(refusal('options'));
      expect(() => new QueueSettings().addHandler(TYPE, options as unknown as HandlerOptions, 'Orders.cancel')).toThrow(
        refusal('Orders.cancel'),
      );
    });
  });

  describe('names', () => {
    const rule = 'must be 1 to 100 characters out of A-Z a-z 0-9 _ . -';

    it.each(['a:b', 'a b', '{a}', '', 'é', 'x'.repeat(101)])('C58 refuses the prefix %p', (prefix) => {
      expect(() => new QueueSettings({ prefix })).toThrow(refusal('prefix', `prefix: ${rule}`));
    });

    it.each(['a:b', 'a b', '{a}', '', 'é', 'x'.repeat(101)])('C58 refuses the type %p', (type) => {
      expect(() => new QueueSettings({ types: { ok: {}, [type]: {} } })).toThrow(
        refusal(`types.${type}`, `types.${type}: ${rule}, got '${type}'`),
      );
      expect(() => new QueueSettings().addHandler(type, {}, 'Orders.cancel')).toThrow(
        refusal('Orders.cancel: task type', `Orders.cancel: task type: ${rule}, got '${type}'`),
      );
    });

    it('does not pass over a type of the name __proto__', () => {
      const types = JSON.parse('{"__proto__":{"partitions":4}}') as Record<string, TaskTypeOptions>;
      expect(() => new QueueSettings({ types })).toThrow(
        refusal('types.__proto__', 'types.__proto__: is a name that JavaScript keeps for itself'),
      );
    });
  });

  describe('errors', () => {
    it('name the option, the bound and what was given', () => {
      expect(() => settingsOf({ lease: 99 })).toThrow(
        refusal(`types.${TYPE}.lease`, `types.${TYPE}.lease: must be at least 100 ms, got 99 ms`),
      );
      expect(() => settingsOf({ dedupeFor: '1200' as never })).toThrow(
        refusal(
          `types.${TYPE}.dedupeFor`,
          `types.${TYPE}.dedupeFor: must be a number with a unit, such as '30m', got '1200'`,
        ),
      );
      expect(() => settingsOf({ partitions: 257 })).toThrow(
        refusal(`types.${TYPE}.partitions`, expect.stringMatching(/^types\.order_timeout\.partitions: .*256/)),
      );
      expect(() => settingsOf({ backoff: { type: 'exponential', base: '2h' } })).toThrow(
        refusal(`types.${TYPE}.backoff.max`, `types.${TYPE}.backoff.max: must be at least \`base\``),
      );
      expect(() => settingsOf({ partitions: 0 })).toThrow(ConfigurationError);
    });

    it('name the first option that is wrong', () => {
      expect(() => new QueueSettings({ types: { a: { lease: 1 }, b: { lease: 2 } } })).toThrow(
        refusal('types.a.lease'),
      );
    });

    it.each([
      [{ retries: 3 }, 'retries'],
      [{ types: { a: { concurency: 3 } } }, 'types.a.concurency'],
      [{ defaults: { partitions: 2 } }, 'defaults.partitions'],
      [{ defaults: { payloadLimit: 2 } }, 'defaults.payloadLimit'],
    ])('name an option that is not known: %j', (options, field) => {
      expect(() => new QueueSettings(options as QueueOptions)).toThrow(refusal(field, `${field}: is not known here`));
    });

    it('name an option that does not belong into a decorator', () => {
      const options = { partitions: 2 } as HandlerOptions;
      expect(() => new QueueSettings().addHandler(TYPE, options, 'Orders.cancel')).toThrow(
        refusal('Orders.cancel.partitions', 'Orders.cancel.partitions: is not known here'),
      );
    });

    it('leave the settings as they were', () => {
      const settings = new QueueSettings();
      settings.addHandler(TYPE, { concurrency: 2 }, 'Orders.cancel');
      expect(() => settings.addHandler(TYPE, { concurrency: 0 }, 'Orders.other')).toThrow(ConfigurationError);
      expect(settings.forType(TYPE).concurrency).toBe(2);
    });
  });

  describe('dead letters', () => {
    it.each([
      [10_000, 1, 10_000],
      [10_000, 256, 40],
      [10, 4, 3],
      [1, 256, 1],
      [0, 4, 0],
    ])('shares %d out over %d partitions, none of which is left without: %d', (max, partitions, perPartition) => {
      expect(settingsOf({ partitions, deadLetters: { max } }).deadMaxPerPartition).toBe(perPartition);
    });
  });

  it('changes nothing of what it is given, and is not changed by what becomes of it later', () => {
    const own = { partitions: 4, backoff: { type: 'fixed', delay: 1_000 } as const, deadLetters: { max: 7 } };
    const given = { prefix: 'shop', types: { [TYPE]: own }, defaults: { concurrency: 3 } };
    const handler = { maxRetries: 1 };
    const before = structuredClone({ given, handler });
    const settings = new QueueSettings(given);
    settings.addHandler(TYPE, handler, 'Orders.cancel');
    const resolved = structuredClone(settings.forType(TYPE));
    expect({ given, handler }).toStrictEqual(before);
    own.partitions = 9;
    Object.assign(own.backoff, { delay: 9_000 });
    own.deadLetters.max = 9;
    Object.assign(given.types, { other: own });
    given.defaults.concurrency = 9;
    handler.maxRetries = 9;
    expect(settings.forType(TYPE)).toStrictEqual(resolved);
    settings.addHandler(TYPE, { maxRetries: 1 }, 'Orders.cancel');
    expect(settings.forType(TYPE)).toStrictEqual(resolved);
    expect(settings.namedTypes).toEqual([TYPE]);
  });

  it('takes options that are frozen', () => {
    const options = Object.freeze({ types: Object.freeze({ [TYPE]: Object.freeze({ partitions: 2 }) }) });
    expect(new QueueSettings(options).forType(TYPE).partitions).toBe(2);
  });
});
