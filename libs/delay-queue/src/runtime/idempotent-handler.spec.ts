import { afterEach, describe, expect, it } from '@jest/globals';
import type { IdempotentOptions } from '../options/idempotent-options.js';
import type { TaskTypeOptions } from '../options/queue-options.js';
import { resolveIdempotency } from '../options/resolved-idempotency.js';
import type { MarkClaim } from '../ports/idempotency-store.js';
import type { DelayedTask } from '../task/delayed-task.js';
import { encodeEnvelope } from '../task/envelope.js';
import { TaskOutcome } from '../task/task-outcome.js';
import { FailureEpisode } from './failure-episode.js';
import { FaultyMarks } from './faulty-marks.spec-support.js';
import { IdempotentHandler } from './idempotent-handler.js';
import { deferred, RuntimeHarness } from './runtime-harness.spec-support.js';

const LEASE_MS = 30_000;
const LIFE = 'm5d4ruo0abc123';
const KEY = 'the key';
const STRANGER: MarkClaim = { owner: 'stranger', fence: 0, holdMs: LEASE_MS };

/** A runtime with one idempotent handler of the type `t`. */
class Bench {
  readonly harness: RuntimeHarness;
  readonly marks: FaultyMarks;
  readonly ran: string[] = [];
  /** What the handler does. */
  work: (task: DelayedTask<string>) => unknown = () => undefined;

  constructor(options: IdempotentOptions<unknown>, type: TaskTypeOptions = {}) {
    this.harness = new RuntimeHarness({ options: { types: { t: type } } });
    const { clock, events, lines, runtime, settings, store } = this.harness;
    this.marks = new FaultyMarks(store.idempotency);
    const logger = {
      log: () => undefined,
      warn: (line: string) => void lines.push(`warn ${line}`),
      error: (line: string) => void lines.push(`error ${line}`),
    };
    const run = (task: DelayedTask<string>): unknown => {
      this.ran.push(task.id);
      return this.work(task);
    };
    runtime.addHandler(
      new IdempotentHandler({
        handler: { type: 't', name: 'Test.t', run },
        idempotency: resolveIdempotency(options, 'Test.t'),
        settings: settings.forType('t'),
        store: this.marks,
        clock,
        logger,
        observer: { notify: (event) => void events.push(event) },
        failures: new FailureEpisode(logger, 'Marks fail'),
      }),
    );
  }

  /** Schedules a task of one certain life, as a rebuild from a ledger does. */
  async schedule(id: string, { delayMs = 0, life = LIFE }: { delayMs?: number; life?: string } = {}): Promise<void> {
    const envelope = encodeEnvelope({ payloadJson: JSON.stringify({ id }), life });
    const due = { delayMs };
    await this.harness.runtime.submit('t', { kind: 'schedule', id, due, envelope, onDuplicate: 'keep' });
    await this.harness.clock.advanceMs(0);
  }

  advance(byMs: number): Promise<void> {
    return this.harness.clock.advanceMs(byMs);
  }

  /** The kinds of the events about a task, without the calls of producers. */
  kindsOf(id: string): readonly string[] {
    return this.harness.events.flatMap((event) =>
      'id' in event && event.id === id && event.kind !== 'mutated' ? [event.kind] : [],
    );
  }
}

let bench: Bench;
/** Makes the bench and starts it. */
async function start(options: IdempotentOptions<unknown> = {}, type?: TaskTypeOptions): Promise<Bench> {
  bench = new Bench(options, type);
  await bench.harness.start();
  return bench;
}

const underKey = (more: IdempotentOptions<unknown> = {}): IdempotentOptions<unknown> => ({ key: () => KEY, ...more });

afterEach(async () => {
  const closed = bench.harness.runtime.close();
  await bench.advance(30_000);
  await closed;
  expect(bench.harness.clock.pendingTimers).toBe(0);
});

describe("a task's own mark", () => {
  it('is looked at before the handler, and skips a life that was done', async () => {
    await start({ keepResult: true });
    bench.work = ({ id }) => Promise.resolve({ did: id });
    await bench.schedule('a');
    await bench.schedule('a');
    expect(bench.ran).toEqual(['a']);
    expect(bench.kindsOf('a')).toEqual(['started', 'completed', 'started', 'skipped']);
    expect(bench.harness.eventsOf('skipped')).toMatchObject([
      { type: 't', id: 'a', deliveries: 1, key: null, result: { did: 'a' } },
    ]);
    expect(await bench.harness.stateOf('t', 'a')).toBeNull();
    expect(bench.marks.calls).toEqual(['look', 'look']);
  });

  it('does not keep another life of the id from running, nor the same one when it is forgotten', async () => {
    await start({ ttl: '1h' });
    await bench.schedule('a');
    await bench.schedule('a', { life: 'm5d4ruo0other1' });
    expect(bench.ran).toEqual(['a', 'a']);
    await bench.advance(3_600_000);
    await bench.schedule('a');
    expect(bench.ran).toEqual(['a', 'a', 'a']);
    expect(bench.harness.eventsOf('skipped')).toEqual([]);
  });

  it('C29 does not keep a task that died from being redriven', async () => {
    await start({}, { maxRetries: 0 });
    bench.work = () => Promise.reject(new Error('no'));
    await bench.schedule('a');
    expect(await bench.harness.stateOf('t', 'a')).toMatchObject({ state: 'dead' });
    bench.work = () => undefined;
    await bench.harness.runtime.submit('t', { kind: 'redrive', id: 'a' });
    await bench.advance(0);
    expect(bench.kindsOf('a')).toEqual(['started', 'buried', 'started', 'completed']);
  });

  it.each([
    ['snoozes', () => TaskOutcome.snooze(1_000)],
    ['asks for a retry', () => TaskOutcome.retry({ delay: 1_000 })],
    ['throws', () => Promise.reject(new Error('no'))],
  ])('is not written when the handler %s', async (_how, work) => {
    await start({}, { backoff: { type: 'fixed', delay: 1_000, jitter: 0 } });
    bench.work = work;
    await bench.schedule('a');
    bench.work = () => TaskOutcome.complete();
    await bench.advance(2_000);
    expect(bench.ran).toEqual(['a', 'a']);
    await bench.schedule('a');
    expect(bench.ran).toHaveLength(2);
    expect(bench.kindsOf('a').at(-1)).toBe('skipped');
  });

  it('is not waited for while the store is away: the task is, and nothing is counted', async () => {
    await start();
    bench.marks.fault = () => 'not sent';
    await bench.schedule('a');
    await bench.advance(10_000);
    expect(bench.ran).toEqual([]);
    expect(await bench.harness.stateOf('t', 'a')).toMatchObject({ failures: 0, lostLeases: 0 });
    expect(bench.harness.lines.filter((line) => line.includes('Marks fail'))).toHaveLength(1);
    bench.marks.fault = () => null;
    await bench.advance(1_000);
    expect(bench.ran).toEqual(['a']);
  });
});

describe('a mark under a key', () => {
  it('lets one of several tasks work, makes the others wait, and skips them when it is done', async () => {
    await start(underKey({ keepResult: true }));
    const working = deferred<string>();
    bench.work = () => working.promise;
    for (const id of ['a', 'b', 'c']) await bench.schedule(id);
    expect(bench.ran).toEqual(['a']);
    expect(bench.kindsOf('b')).toEqual(['started', 'snoozed']);
    working.resolve('the result');
    await bench.advance(LEASE_MS);
    expect(bench.ran).toEqual(['a']);
    expect(bench.harness.eventsOf('skipped')).toMatchObject([
      { id: 'b', key: KEY, result: 'the result', failures: 0 },
      { id: 'c', key: KEY, result: 'the result', failures: 0 },
    ]);
    expect(bench.kindsOf('a')).toEqual(['started', 'completed']);
  });

  it('is made of payload and task', async () => {
    const key = (payload: unknown, task: { readonly id: string }) => `${JSON.stringify(payload)} ${task.id}`;
    await start({ key });
    await bench.schedule('a');
    expect(await bench.marks.begin('{"id":"a"} a', STRANGER)).toEqual({ kind: 'done', result: null });
  });

  it('is kept in progress for as long as the handler runs', async () => {
    await start(underKey());
    const working = deferred();
    bench.work = () => working.promise;
    await bench.schedule('a');
    for (let round = 0; round < 40; round++) {
      await bench.advance(LEASE_MS / 2);
      expect(await bench.marks.begin(KEY, STRANGER)).toMatchObject({ kind: 'in progress' });
    }
    working.resolve();
    await bench.advance(0);
    expect(await bench.marks.begin(KEY, STRANGER)).toMatchObject({ kind: 'done' });
    expect(bench.harness.eventsOf('mark lost')).toEqual([]);
  });

  it.each([
    ['throws', () => Promise.reject(new Error('no'))],
    ['throws at once', () => fail()],
    ['snoozes', () => TaskOutcome.snooze('1h')],
    ['buries its task', () => TaskOutcome.bury('why')],
    ['asks for a retry', () => TaskOutcome.retry()],
  ])('is free for others when the handler %s', async (_how, work) => {
    await start(underKey());
    bench.work = work;
    await bench.schedule('a');
    expect(await bench.marks.begin(KEY, STRANGER)).toEqual({ kind: 'begun' });
  });

  it('C29 does not keep a task that died from being redriven', async () => {
    await start(underKey(), { maxRetries: 0 });
    bench.work = () => fail();
    await bench.schedule('a');
    bench.work = () => undefined;
    await bench.harness.runtime.submit('t', { kind: 'redrive', id: 'a' });
    await bench.advance(0);
    expect(bench.kindsOf('a')).toEqual(['started', 'buried', 'started', 'completed']);
  });

  it('C36 is taken over by the next delivery of a task whose process crashed, before it is over', async () => {
    await start(underKey());
    await bench.marks.begin(KEY, { owner: `t:${LIFE}:a`, fence: 1, holdMs: 20 * LEASE_MS });
    await bench.schedule('a');
    expect(bench.ran).toEqual(['a']);
    expect(bench.kindsOf('a')).toEqual(['started', 'completed']);
  });

  it('of a crashed process is waited for by other tasks, at most 30 s at a time', async () => {
    await start(underKey());
    await bench.marks.begin(KEY, { ...STRANGER, holdMs: 100_000 });
    await bench.schedule('a');
    expect(bench.harness.eventsOf('snoozed')).toMatchObject([{ delayMs: 30_000 }]);
    await bench.advance(99_999);
    expect(bench.ran).toEqual([]);
    await bench.advance(2);
    expect(bench.ran).toEqual(['a']);
  });

  it('of a delivery that has lost its task to a later one is left alone', async () => {
    await start(underKey());
    const later = { owner: `t:${LIFE}:a`, fence: Number.MAX_SAFE_INTEGER, holdMs: LEASE_MS };
    await bench.marks.begin(KEY, later);
    await bench.schedule('a');
    expect(bench.ran).toEqual([]);
    expect(await bench.marks.finish(KEY, later, { keepMs: 1_000, result: null })).toBe('finished');
  });

  it.each([
    ['an empty text', () => '', /idempotency key: must not be empty/],
    ['no text', () => undefined, /idempotency key: must be a string/],
    ['a promise', () => Promise.resolve('key'), /idempotency key: must be a string/],
    ['an error', () => fail(), /the work failed/],
  ])('fails the task when the function makes %s of it', async (_what, key, error) => {
    await start({ key: key as () => string }, { maxRetries: 0 });
    await bench.schedule('a');
    expect(bench.ran).toEqual([]);
    expect(await bench.harness.stateOf('t', 'a')).toMatchObject({ state: 'dead', error: expect.stringMatching(error) });
  });

  it('is reported as done until the store answers, and the task is complete only then', async () => {
    await start(underKey());
    const answers: ('answer lost' | 'not sent' | null)[] = ['answer lost', 'not sent', 'not sent'];
    bench.marks.fault = (call) => (call === 'finish' ? (answers.shift() ?? null) : null);
    await bench.schedule('a');
    expect(await bench.harness.stateOf('t', 'a')).toMatchObject({ state: 'running' });
    await bench.advance(2_000);
    expect(bench.kindsOf('a')).toEqual(['started', 'completed']);
    expect(bench.marks.calls).toEqual(['begin', 'finish', 'finish', 'finish', 'finish']);
    expect(bench.harness.lines.filter((line) => line.includes('Marks fail'))).toHaveLength(1);
  });

  it('is given back with the task when the store stays away until the process stops', async () => {
    await start(underKey());
    bench.marks.fault = (call) => (call === 'finish' ? 'not sent' : null);
    await bench.schedule('a');
    const stopped = bench.harness.runtime.stop();
    await bench.advance(26_000);
    await stopped;
    expect(bench.kindsOf('a')).toEqual(['started', 'released']);
  });

  it('is done when the handler succeeds after its time: the retry finds its effect made', async () => {
    const backoff = { type: 'fixed', delay: 10_000, jitter: 0 } as const;
    await start(underKey(), { handlerTimeout: 1_000, backoff });
    const working = deferred();
    bench.work = () => working.promise;
    await bench.schedule('a');
    await bench.advance(1_500);
    working.resolve();
    await bench.advance(10_000);
    expect(bench.ran).toEqual(['a']);
    expect(bench.kindsOf('a')).toEqual(['started', 'retried', 'started', 'skipped']);
  });

  it('runs out when the handler ignores its abort', async () => {
    await start(underKey(), { handlerTimeout: 1_000, backoff: { type: 'fixed', delay: '1h', jitter: 0 } });
    bench.work = () => new Promise(() => undefined);
    await bench.schedule('a');
    await bench.advance(LEASE_MS + 1_000);
    expect(await bench.marks.begin(KEY, STRANGER)).toEqual({ kind: 'begun' });
  });

  it('that was lost is reported once, and the task is complete all the same', async () => {
    await start(underKey());
    const working = deferred();
    bench.work = () => working.promise;
    await bench.schedule('a');
    bench.marks.fault = (call) => (call === 'extend' ? 'not sent' : null);
    await bench.advance(LEASE_MS);
    expect(await bench.marks.begin(KEY, STRANGER)).toEqual({ kind: 'begun' });
    bench.marks.fault = () => null;
    await bench.advance(LEASE_MS / 3);
    working.resolve();
    await bench.advance(0);
    expect(bench.kindsOf('a')).toEqual(['started', 'mark lost', 'completed']);
    expect(bench.harness.eventsOf('mark lost')).toMatchObject([{ type: 't', deliveries: 1, key: KEY }]);
  });

  it('keeps no result that would come back as something else, and says so once', async () => {
    await start({ key: (_payload, { id }) => id, keepResult: true });
    bench.work = () => new Map();
    for (const id of ['a', 'b']) await bench.schedule(id);
    expect(await bench.marks.begin('b', STRANGER)).toEqual({ kind: 'done', result: null });
    expect(bench.harness.lines.filter((line) => line.includes('result of Test.t'))).toHaveLength(1);
  });

  it('is asked for again when the store was away, with nothing counted', async () => {
    await start(underKey());
    const answers: ('answer lost' | 'not sent' | null)[] = ['not sent', 'answer lost'];
    bench.marks.fault = (call) => (call === 'begin' ? (answers.shift() ?? null) : null);
    await bench.schedule('a');
    await bench.advance(2_010);
    // The second wish was granted although its answer was lost: the later delivery takes it over.
    expect(bench.kindsOf('a')).toEqual(['started', 'snoozed', 'started', 'snoozed', 'started', 'completed']);
    expect(bench.harness.eventsOf('completed')).toMatchObject([{ failures: 0, deliveries: 3 }]);
  });
});

function fail(): never {
  throw new Error('the work failed');
}
