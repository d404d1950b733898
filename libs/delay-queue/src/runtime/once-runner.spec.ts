import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { IdempotencyInProgressError, StoreUnavailableError } from '../core/errors.js';
import { VirtualClock } from '../core/virtual-clock.js';
import { MemoryTaskStore } from '../memory/memory-task-store.js';
import { FailureEpisode } from './failure-episode.js';
import { FaultyMarks } from './faulty-marks.spec-support.js';
import { ONCE_HOLD_MS, type OnceResult, OnceRunner, type OnceSettings } from './once-runner.js';
import { deferred } from './runtime-harness.spec-support.js';

const DEFAULTS: OnceSettings = { ttlMs: 86_400_000, keepResult: true, waitMs: 30_000 };

let clock: VirtualClock;
let store: MemoryTaskStore;
let marks: FaultyMarks;
let lines: string[];
let runner: OnceRunner;

/** As another process has one. */
function newRunner(): OnceRunner {
  const logger = { log: () => undefined, warn: (line: string) => void lines.push(line), error: () => undefined };
  const failures = new FailureEpisode(logger, 'Marks fail');
  return new OnceRunner({ store: marks, clock, logger, failures, maxResultBytes: 100 });
}

beforeEach(() => {
  clock = new VirtualClock();
  store = new MemoryTaskStore({ clock });
  marks = new FaultyMarks(store.idempotency);
  lines = [];
  runner = newRunner();
});

afterEach(() => expect(clock.pendingTimers).toBe(0));

function once<T>(work: () => T | Promise<T>, settings: Partial<OnceSettings> = {}): Promise<OnceResult<T>> {
  return runner.run({ key: 'k', work }, { ...DEFAULTS, ...settings });
}

describe('OnceRunner', () => {
  it('does work once, and answers later callers with its result', async () => {
    let runs = 0;
    const work = () => ({ run: ++runs, nothing: undefined });
    expect(await once(work)).toEqual({ status: 'ran', result: { run: 1, nothing: undefined }, marked: true });
    expect(await once(work)).toEqual({ status: 'skipped', result: { run: 1 } });
    expect(await newRunner().run({ key: 'k', work }, DEFAULTS)).toEqual({ status: 'skipped', result: { run: 1 } });
    expect(await newRunner().run({ key: 'other', work }, DEFAULTS)).toMatchObject({
      status: 'ran',
      result: { run: 2 },
    });
  });

  it('keeps no result when it is not asked to, nor one of undefined', async () => {
    await once(() => 1, { keepResult: false });
    expect(await once(() => 2)).toEqual({ status: 'skipped', result: undefined });
    await runner.run({ key: 'void', work: () => undefined }, DEFAULTS);
    expect(await runner.run({ key: 'void', work: () => undefined }, DEFAULTS)).toEqual({ status: 'skipped' });
  });

  it('does work again when it was forgotten', async () => {
    await once(() => 1, { ttlMs: 5_000 });
    await clock.advanceMs(4_999);
    expect(await once(() => 2)).toMatchObject({ status: 'skipped' });
    await clock.advanceMs(1);
    expect(await once(() => 3)).toMatchObject({ status: 'ran', result: 3 });
  });

  it('two callers at once: one works, however long, and the other gets its result', async () => {
    const working = deferred<string>();
    let runs = 0;
    const work = () => {
      runs++;
      return working.promise;
    };
    const both = [
      once(work, { waitMs: 600_000 }),
      newRunner().run({ key: 'k', work }, { ...DEFAULTS, waitMs: 600_000 }),
    ];
    await clock.advanceMs(10 * ONCE_HOLD_MS);
    working.resolve('the result');
    await clock.advanceMs(1_000);
    expect(await Promise.all(both)).toEqual([
      { status: 'ran', result: 'the result', marked: true },
      { status: 'skipped', result: 'the result' },
    ]);
    expect(runs).toBe(1);
  });

  it('waits no longer than it may for another caller, and says how long that one has', async () => {
    await marks.begin('k', { owner: 'a crashed process', fence: 0, holdMs: 20_000 });
    const refused = await once(() => 1, { waitMs: 0 }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(IdempotencyInProgressError);
    expect(refused).toMatchObject({ code: 'in_progress', key: 'k', leftMs: 20_000 });
    const waiting = once(() => 1, { waitMs: 5_000 }).catch((error: unknown) => error);
    await clock.advanceMs(4_999);
    expect(marks.calls.length).toBeGreaterThan(10);
    await clock.advanceMs(1);
    expect(await waiting).toMatchObject({ code: 'in_progress', leftMs: 15_000 });
  });

  it('C36 works when the mark of a crashed process is over', async () => {
    await marks.begin('k', { owner: 'a crashed process', fence: 0, holdMs: 20_000 });
    const waiting = once(() => 'done');
    await clock.advanceMs(19_990);
    expect(clock.pendingTimers).toBe(1);
    await clock.advanceMs(20);
    expect(await waiting).toMatchObject({ status: 'ran', result: 'done' });
  });

  it.each([
    ['throws', () => fail()],
    ['rejects', () => Promise.reject(new Error('no'))],
  ])('remembers nothing of work that %s', async (_how, work) => {
    await expect(once(work)).rejects.toThrow('no');
    expect(await once(() => 2)).toMatchObject({ status: 'ran', result: 2 });
  });

  it('does not begin when the store is away, and blocks nobody by a wish whose answer was lost', async () => {
    let runs = 0;
    for (const fault of ['not sent', 'answer lost'] as const) {
      marks.fault = (call) => (call === 'begin' ? fault : null);
      await expect(once(() => runs++)).rejects.toThrow(StoreUnavailableError);
    }
    expect(runs).toBe(0);
    marks.fault = () => null;
    expect(await once(() => 'now', { waitMs: 0 })).toMatchObject({ status: 'ran' });
  });

  it('reports work done until the store answers', async () => {
    const faults: ('not sent' | 'answer lost')[] = ['not sent', 'answer lost', 'not sent'];
    marks.fault = (call) => (call === 'finish' ? (faults.shift() ?? null) : null);
    const running = once(() => 1);
    await clock.advanceMs(2_000);
    expect(await running).toEqual({ status: 'ran', result: 1, marked: true });
    expect(lines).toHaveLength(1);
  });

  it('gives the result back, and says so, when the work could not be noted as done', async () => {
    marks.fault = (call) => (call === 'finish' || call === 'extend' ? 'not sent' : null);
    const running = once(() => 1);
    await clock.advanceMs(ONCE_HOLD_MS + 1_000);
    expect(await running).toEqual({ status: 'ran', result: 1, marked: false });
    expect(lines.at(-1)).toContain("under the idempotency key 'k' could not be noted as done");
  });

  it('says so when another caller has begun meanwhile', async () => {
    const working = deferred();
    const running = once(() => working.promise);
    await clock.advanceMs(0);
    // The event loop was blocked for longer than the mark holds.
    clock.jumpMs(ONCE_HOLD_MS);
    expect(await marks.begin('k', { owner: 'another', fence: 0, holdMs: 1_000 })).toEqual({ kind: 'begun' });
    await clock.advanceMs(500);
    working.resolve();
    expect(await running).toMatchObject({ status: 'ran', marked: false });
    expect(lines.at(-1)).toContain('went on for longer than its mark');
  });

  it('keeps no result that would come back as something else, or is too large', async () => {
    await once(() => new Map());
    await runner.run({ key: 'large', work: () => 'x'.repeat(100) }, DEFAULTS);
    expect(lines).toEqual([
      expect.stringContaining("under 'k' cannot be kept"),
      expect.stringContaining("under 'large'"),
    ]);
    expect(await once(() => 1)).toEqual({ status: 'skipped', result: undefined });
  });

  it('leaves no timer when the store was closed under it, nor when it is closed', async () => {
    const working = deferred();
    const running = [once(() => working.promise), runner.run({ key: 'k2', work: () => working.promise }, DEFAULTS)];
    await clock.advanceMs(0);
    expect(clock.pendingTimers).toBe(1);
    await store.close();
    await clock.advanceMs(ONCE_HOLD_MS / 3);
    expect(clock.pendingTimers).toBe(0);
    working.resolve();
    expect(await Promise.all(running)).toMatchObject([{ marked: false }, { marked: false }]);
  });

  it('extends nothing any more once it is closed', async () => {
    const working = deferred();
    const running = once(() => working.promise);
    await clock.advanceMs(0);
    runner.close();
    expect(clock.pendingTimers).toBe(0);
    working.resolve();
    expect(await running).toMatchObject({ marked: true });
  });
});

function fail(): never {
  throw new Error('no');
}
