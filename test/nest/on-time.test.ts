import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { type DelayedTask, OnDelayedTask, TaskOutcome } from 'nestjs-delay-queue';
import { RedisServer, type SharedRedis } from '../support/redis-server.js';
import { waitFor } from '../support/wait-for.js';
import { type TestApp, TestApps } from './support/test-apps.js';

const TYPE = 'on_time';
const HOUR_MS = 3_600_000;
const DELAY_MS = 150;
const ROUNDS = 7;

/** A holder that is not told looks every 2.5 s: half of its rounds would be far later than this. */
const MEDIAN_MS = 700;

const apps = new TestApps();
let redis: SharedRedis;
let round = 0;
/** When each delivery of a task started, by id. */
const started = new Map<string, number[]>();

@Injectable()
class Handler {
  @OnDelayedTask(TYPE, { backoff: { type: 'fixed', delay: DELAY_MS, jitter: 0 } })
  handle(_payload: unknown, task: DelayedTask): unknown {
    const times = started.get(task.id) ?? [];
    started.set(task.id, [...times, Date.now()]);
    if (times.length > 0) return undefined;
    if (task.id.startsWith('retried')) throw new Error('the first attempt fails');
    return task.id.startsWith('snoozed') ? TaskOutcome.snooze(DELAY_MS) : undefined;
  }
}

beforeAll(async () => {
  redis = await RedisServer.shared();
}, 30_000);
afterEach(() => apps.closeAll(), 30_000);
afterAll(() => redis.release(), 30_000);

/** Waits for this delivery of a task, and returns how long after `dueMs` it started. */
async function latenessOf(id: string, delivery: number, dueMs: (times: readonly number[]) => number): Promise<number> {
  const deliveries = (): readonly number[] => started.get(id) ?? [];
  await waitFor(() => deliveries().length === delivery, { deadlineMs: 20_000, what: `delivery ${delivery} of ${id}` });
  const times = deliveries();
  return (times.at(-1) ?? Number.NaN) - dueMs(times);
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

describe('C54 while what is next due lies far in the future', () => {
  let producing: TestApp;

  beforeEach(async () => {
    const queue = { connection: redis.url, prefix: `${redis.prefix}-${++round}` };
    producing = await apps.boot({ queue });
    await apps.boot({ queue, providers: [Handler] });
    await apps.boot({ queue, providers: [Handler] });
    await producing.producer.schedule(TYPE, {}, { delay: HOUR_MS, id: 'far' });
  }, 30_000);

  const afterFirst = ([first = Number.NaN]: readonly number[]): number => first + DELAY_MS;

  const WAYS: Record<string, (id: string) => Promise<number>> = {
    retried: async (id) => {
      await producing.producer.schedule(TYPE, {}, { delay: 0, id });
      return latenessOf(id, 2, afterFirst);
    },
    snoozed: async (id) => {
      await producing.producer.schedule(TYPE, {}, { delay: 0, id });
      return latenessOf(id, 2, afterFirst);
    },
    'run now': async (id) => {
      await producing.producer.schedule(TYPE, {}, { delay: HOUR_MS, id });
      const nowMs = Date.now();
      await producing.producer.runNow(TYPE, id);
      return latenessOf(id, 1, () => nowMs);
    },
    rescheduled: async (id) => {
      await producing.producer.schedule(TYPE, {}, { delay: HOUR_MS, id });
      const nowMs = Date.now();
      await producing.producer.reschedule(TYPE, id, { delay: DELAY_MS });
      return latenessOf(id, 1, () => nowMs + DELAY_MS);
    },
    resumed: async (id) => {
      await producing.admin.pause(TYPE);
      await producing.producer.schedule(TYPE, {}, { delay: 0, id });
      const nowMs = Date.now();
      await producing.admin.resume(TYPE);
      return latenessOf(id, 1, () => nowMs);
    },
  };

  it.each(Object.keys(WAYS))('a %s task runs when it should, and not when the holder looks again', async (way) => {
    const latenessMs: number[] = [];
    for (let run = 0; run < ROUNDS; run++) latenessMs.push((await WAYS[way]?.(`${way} ${round} ${run}`)) ?? Number.NaN);
    expect(Math.min(...latenessMs)).toBeGreaterThanOrEqual(-2);
    expect(median(latenessMs)).toBeLessThan(MEDIAN_MS);
  });
});
