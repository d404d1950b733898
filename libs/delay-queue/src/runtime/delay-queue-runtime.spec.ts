import { afterEach, describe, expect, it } from '@jest/globals';
import { TaskOutcome } from '../task/task-outcome.js';
import type { QueueOptions } from '../options/queue-options.js';
import { deferred, RuntimeHarness } from './runtime-harness.spec-support.js';

const MINUTE_MS = 60_000;

describe('DelayQueueRuntime', () => {
  let harness: RuntimeHarness;

  afterEach(async () => {
    const stopped = harness.runtime.close();
    await harness.clock.advanceMs(30_000);
    await stopped;
    expect(harness.clock.pendingTimers).toBe(0);
  });

  it('runs a task when its delay is over, and not a millisecond before', async () => {
    const startedAt: number[] = [];
    harness = new RuntimeHarness().handle('t', () => startedAt.push(harness.clock.nowMs()));
    await harness.start();
    const scheduledAt = harness.clock.nowMs();
    await harness.schedule('t', 30 * MINUTE_MS, { id: 'a' });
    await harness.clock.advanceMs(30 * MINUTE_MS - 1);
    expect(startedAt).toEqual([]);
    await harness.clock.advanceMs(1);
    expect(startedAt).toEqual([scheduledAt + 30 * MINUTE_MS]);
    expect(await harness.stateOf('t', 'a')).toBeNull();
    expect(harness.eventsOf('completed').map(({ id }) => id)).toEqual(['a']);
  });

  it('C14 runs tasks due in 2^31 - 1 ms, 2^31 ms, 2^32 + 5,000 ms, 30 days and 20 years, none early', async () => {
    const delays = [2 ** 31 - 1, 2 ** 31, 2 ** 32 + 5_000, 30 * 86_400_000, 20 * 365 * 86_400_000];
    const early: string[] = [];
    const ran: string[] = [];
    harness = new RuntimeHarness().handle('t', (task) => {
      ran.push(task.id);
      if (harness.clock.nowMs() < task.dueAt.getTime()) early.push(task.id);
    });
    await harness.start();
    for (const delayMs of delays) await harness.schedule('t', delayMs, { id: String(delayMs) });
    for (const delayMs of delays.toSorted((a, b) => a - b)) {
      const untilMs = Date.UTC(2025, 0, 1) + delayMs;
      await harness.clock.advanceMs(untilMs - 1 - harness.clock.nowMs());
      expect(ran).not.toContain(String(delayMs));
      await harness.clock.advanceMs(1);
      expect(ran).toContain(String(delayMs));
    }
    expect(early).toEqual([]);
  });

  it.each([[[21_600_000, 60_000, 1_000]], [[1_000, 60_000, 21_600_000]]])(
    'C16 starts the 1 s task at 1 s when %j ms are scheduled in this order',
    async (delays) => {
      const startedAfter: number[] = [];
      harness = new RuntimeHarness().handle('t', () => startedAfter.push(harness.clock.monotonicMs()));
      await harness.start();
      for (const delayMs of delays) await harness.schedule('t', delayMs);
      await harness.clock.advanceMs(60_000);
      expect(startedAfter).toEqual([1_000, 60_000]);
    },
  );

  it('C17 follows a reschedule to a later and to an earlier time exactly', async () => {
    const startedAfter: number[] = [];
    harness = new RuntimeHarness().handle('t', () => startedAfter.push(harness.clock.monotonicMs()));
    await harness.start();
    await harness.schedule('t', 5 * MINUTE_MS, { id: 'a' });
    await harness.runtime.submit('t', { kind: 'reschedule', id: 'a', due: { delayMs: 60 * MINUTE_MS } });
    await harness.clock.advanceMs(59 * MINUTE_MS);
    expect(startedAfter).toEqual([]);
    await harness.runtime.submit('t', { kind: 'reschedule', id: 'a', due: { delayMs: 1_000 } });
    await harness.clock.advanceMs(1_000);
    expect(startedAfter).toEqual([59 * MINUTE_MS + 1_000]);
  });

  it('C22 renews the lease of a handler that runs five times as long, and runs it once', async () => {
    let runs = 0;
    const work = deferred();
    harness = new RuntimeHarness({ options: { types: { t: { lease: '1s' } } } }).handle('t', () => {
      runs++;
      return work.promise;
    });
    await harness.start();
    await harness.schedule('t', 0, { id: 'a' });
    await harness.clock.advanceMs(5_000);
    expect(await harness.stateOf('t', 'a')).toMatchObject({ state: 'running', deliveries: 1, lostLeases: 0 });
    work.resolve();
    await harness.clock.advanceMs(0);
    expect(runs).toBe(1);
    expect(await harness.stateOf('t', 'a')).toBeNull();
  });

  it('retries with growing waits, then makes the task a dead letter that says why', async () => {
    const startedAfter: number[] = [];
    const backoff = { type: 'exponential', base: '5s', jitter: 0 } as const;
    harness = new RuntimeHarness({ options: { types: { t: { maxRetries: 3, backoff } } } }).handle('t', () => {
      startedAfter.push(harness.clock.monotonicMs());
      throw new Error('still closed');
    });
    await harness.start();
    await harness.schedule('t', 1_000, { id: 'a' });
    await harness.clock.advanceMs(MINUTE_MS);
    expect(startedAfter).toEqual([1_000, 6_000, 16_000, 36_000]);
    const record = await harness.stateOf('t', 'a');
    expect(record).toMatchObject({ state: 'dead', failures: 4, deliveries: 4, reason: 'retries used up' });
    expect(record?.error).toContain('still closed');
    expect(harness.eventsOf('retried').map(({ delayMs }) => delayMs)).toEqual([5_000, 10_000, 20_000]);
    expect(harness.eventsOf('buried')).toHaveLength(1);
  });

  it('C25 gives a task with maxRetries 0 one attempt', async () => {
    let runs = 0;
    harness = new RuntimeHarness({ options: { types: { t: { maxRetries: 0 } } } }).handle('t', () => {
      runs++;
      return Promise.reject(new Error('no'));
    });
    await harness.start();
    await harness.schedule('t', 0, { id: 'a' });
    await harness.clock.advanceMs(MINUTE_MS);
    expect(runs).toBe(1);
    expect(await harness.stateOf('t', 'a')).toMatchObject({ state: 'dead', failures: 1 });
  });

  it("lets a task's own maxRetries win over its type's", async () => {
    harness = new RuntimeHarness().handle('t', () => {
      throw new Error('no');
    });
    await harness.start();
    await harness.schedule('t', 0, { id: 'a', overrides: { maxRetries: 0 } });
    await harness.clock.advanceMs(0);
    expect(await harness.stateOf('t', 'a')).toMatchObject({ state: 'dead', failures: 1 });
  });

  it('C30 snoozes 50 times without counting a failure', async () => {
    let runs = 0;
    harness = new RuntimeHarness({ options: { types: { t: { maxRetries: 0 } } } }).handle('t', () => {
      runs++;
      return runs <= 50 ? TaskOutcome.snooze('10s') : undefined;
    });
    await harness.start();
    await harness.schedule('t', 0, { id: 'a' });
    await harness.clock.advanceMs(499_999);
    expect(runs).toBe(50);
    expect(await harness.stateOf('t', 'a')).toMatchObject({ state: 'waiting', failures: 0, lostLeases: 0 });
    await harness.clock.advanceMs(1);
    expect(runs).toBe(51);
    expect(await harness.stateOf('t', 'a')).toBeNull();
  });

  it('buries a task at the word of its handler', async () => {
    harness = new RuntimeHarness().handle('t', () => TaskOutcome.bury('unknown order', new Error('404')));
    await harness.start();
    await harness.schedule('t', 0, { id: 'a' });
    await harness.clock.advanceMs(0);
    expect(await harness.stateOf('t', 'a')).toMatchObject({ state: 'dead', failures: 0, reason: 'unknown order' });
  });

  it('C31 settles a task whose handler throws a string, null, undefined or a circular object, or returns one', async () => {
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    const throws: Record<string, unknown> = { string: 'text', null: null, undefined, circular };
    const options: QueueOptions = { types: { t: { maxRetries: 0 } } };
    harness = new RuntimeHarness({ options }).handle('t', (task) => {
      if (task.id === 'returns') return circular;
      throw throws[task.id];
    });
    await harness.start();
    for (const id of [...Object.keys(throws), 'returns']) await harness.schedule('t', 0, { id });
    await harness.clock.advanceMs(0);
    for (const id of Object.keys(throws)) expect(await harness.stateOf('t', id)).toMatchObject({ state: 'dead' });
    expect(await harness.stateOf('t', 'returns')).toBeNull();
  });

  it('C26 falls back to the default back-off when a custom one returns nonsense or throws, and says so', async () => {
    const results: (() => number)[] = [
      () => Number.NaN,
      () => -5,
      () => {
        throw new Error('broken back-off');
      },
    ];
    let calls = 0;
    const backoff = { type: 'custom', delay: () => (results[calls++] ?? (() => 0))() } as const;
    harness = new RuntimeHarness({ options: { types: { t: { backoff } } } }).handle('t', () => {
      throw new Error('no');
    });
    await harness.start();
    await harness.schedule('t', 0, { id: 'a' });
    await harness.clock.advanceMs(MINUTE_MS);
    const delays = harness.eventsOf('retried').map(({ delayMs }) => delayMs);
    [5_000, 10_000, 20_000].forEach((fullMs, index) => {
      expect(delays[index]).toBeGreaterThanOrEqual(fullMs * 0.8);
      expect(delays[index]).toBeLessThanOrEqual(fullMs);
    });
    expect(harness.lines.filter((line) => line.startsWith('warn The custom back-off'))).toHaveLength(3);
  });

  it('never runs more handlers at once than the concurrency allows, over all partitions', async () => {
    let running = 0;
    let most = 0;
    const options: QueueOptions = { types: { t: { concurrency: 3, partitions: 4 } } };
    harness = new RuntimeHarness({ options }).handle('t', async () => {
      most = Math.max(most, ++running);
      await new Promise<void>((resolve) => harness.clock.setTimer(resolve, 100));
      running--;
    });
    await harness.start();
    for (let index = 0; index < 30; index++) await harness.schedule('t', 0, { id: `t${index}` });
    await harness.clock.advanceMs(1_000);
    expect(most).toBe(3);
    expect(harness.eventsOf('completed')).toHaveLength(30);
  });

  it('aborts a handler that runs longer than its time, and retries the task', async () => {
    const aborted: string[] = [];
    const options: QueueOptions = {
      types: { t: { handlerTimeout: '2s', backoff: { type: 'fixed', delay: '10s', jitter: 0 } } },
    };
    harness = new RuntimeHarness({ options }).handle('t', (task) => {
      if (task.deliveries > 1) return undefined;
      return new Promise<void>((_, reject) => {
        task.signal.addEventListener('abort', () => {
          aborted.push((task.signal.reason as Error).name);
          reject(task.signal.reason as Error);
        });
      });
    });
    await harness.start();
    await harness.schedule('t', 0, { id: 'a' });
    await harness.clock.advanceMs(2_000);
    expect(aborted).toEqual(['TimeoutError']);
    expect(await harness.stateOf('t', 'a')).toMatchObject({ state: 'waiting', failures: 1 });
    await harness.clock.advanceMs(10_000);
    expect(harness.eventsOf('completed')).toHaveLength(1);
  });

  it('reports a handler that ignores its abort as stuck, and keeps its place taken', async () => {
    const work = deferred();
    const options: QueueOptions = { types: { t: { handlerTimeout: '2s', concurrency: 1, maxRetries: 0 } } };
    harness = new RuntimeHarness({ options }).handle('t', () => work.promise);
    await harness.start();
    await harness.schedule('t', 0, { id: 'a' });
    await harness.schedule('t', 0, { id: 'b' });
    await harness.clock.advanceMs(20_000);
    expect(harness.eventsOf('stuck').map(({ id }) => id)).toEqual(['a']);
    expect(harness.runtime.health).toMatchObject({
      status: 'up',
      running: 1,
      stuck: [{ id: 'a', runningForMs: 20_000 }],
    });
    expect(await harness.stateOf('t', 'a')).toMatchObject({ state: 'dead' });
    expect(await harness.stateOf('t', 'b')).toMatchObject({ state: 'waiting' });
    work.resolve();
    await harness.clock.advanceMs(0);
    expect(harness.eventsOf('completed').map(({ id }) => id)).toEqual(['b']);
  });

  it('reports a handler that has been running for very long', async () => {
    const work = deferred();
    harness = new RuntimeHarness().handle('t', () => work.promise);
    await harness.start();
    await harness.schedule('t', 0, { id: 'a' });
    await harness.clock.advanceMs(11 * MINUTE_MS);
    expect(harness.eventsOf('stuck')).toHaveLength(1);
    work.resolve();
    await harness.clock.advanceMs(0);
    expect(harness.eventsOf('completed')).toHaveLength(1);
  });

  it('buries a task whose envelope cannot be read', async () => {
    harness = new RuntimeHarness().handle('t', () => undefined);
    await harness.start();
    const due = { delayMs: 0 };
    await harness.runtime.submit('t', {
      kind: 'schedule',
      id: 'a',
      due,
      envelope: '[99,null,"x"]',
      onDuplicate: 'keep',
    });
    await harness.clock.advanceMs(0);
    expect(await harness.stateOf('t', 'a')).toMatchObject({ state: 'dead', reason: 'unreadable task' });
  });

  it('is not changed by an observer that throws', async () => {
    harness = new RuntimeHarness().handle('t', () => undefined);
    harness.events.push = () => {
      throw new Error('broken observer');
    };
    await harness.start();
    await harness.schedule('t', 0, { id: 'a' });
    await harness.clock.advanceMs(0);
    expect(await harness.stateOf('t', 'a')).toBeNull();
    expect(harness.lines.some((line) => line.includes("An observer threw on 'completed'"))).toBe(true);
  });

  it('does not start after it was stopped', async () => {
    let runs = 0;
    harness = new RuntimeHarness().handle('t', () => runs++);
    await harness.runtime.open();
    await harness.runtime.stop();
    await harness.runtime.start();
    await harness.schedule('t', 0, { id: 'a' });
    await harness.clock.advanceMs(MINUTE_MS);
    expect(runs).toBe(0);
  });

  it('lets running handlers end when it stops, and takes no other task', async () => {
    const work = deferred();
    harness = new RuntimeHarness({ options: { types: { t: { concurrency: 1 } } } }).handle('t', () => work.promise);
    await harness.start();
    await harness.schedule('t', 0, { id: 'a' });
    await harness.schedule('t', 0, { id: 'b' });
    await harness.clock.advanceMs(0);
    const stopped = harness.runtime.stop();
    await harness.clock.advanceMs(10_000);
    work.resolve();
    await harness.clock.advanceMs(0);
    await stopped;
    expect(await harness.stateOf('t', 'a')).toBeNull();
    expect(await harness.stateOf('t', 'b')).toMatchObject({ state: 'waiting', deliveries: 0 });
  });

  it('C38 writes the retry of a handler that throws while the process stops', async () => {
    const work = deferred();
    harness = new RuntimeHarness().handle('t', () => work.promise);
    await harness.start();
    await harness.schedule('t', 0, { id: 'a' });
    await harness.clock.advanceMs(0);
    const stopped = harness.runtime.stop();
    await harness.clock.advanceMs(500);
    work.reject(new Error('connection closed'));
    await harness.clock.advanceMs(0);
    await stopped;
    expect(await harness.stateOf('t', 'a')).toMatchObject({ state: 'waiting', failures: 1 });
  });

  it('C38 aborts and gives back what is unfinished at the deadline, with nothing counted', async () => {
    const causes: string[] = [];
    harness = new RuntimeHarness({ options: { shutdownTimeout: '5s' } }).handle('t', (task) => {
      task.signal.addEventListener('abort', () => causes.push(String(task.signal.reason)));
      if (task.id === 'obeys') {
        return new Promise((_, reject) => task.signal.addEventListener('abort', () => reject(new Error('stopped'))));
      }
      return new Promise(() => undefined);
    });
    await harness.start();
    await harness.schedule('t', 0, { id: 'obeys' });
    await harness.schedule('t', 0, { id: 'ignores' });
    await harness.clock.advanceMs(0);
    const stoppedAfter = harness.runtime.stop().then(() => harness.clock.monotonicMs());
    await harness.clock.advanceMs(5_000);
    expect(await stoppedAfter).toBeLessThanOrEqual(5_000);
    expect(causes).toHaveLength(2);
    for (const id of ['obeys', 'ignores']) {
      expect(await harness.stateOf('t', id)).toMatchObject({ state: 'waiting', failures: 0, lostLeases: 0 });
    }
    expect(harness.eventsOf('released')).toHaveLength(2);
  });
});
