import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Injectable, type Type } from '@nestjs/common';
import { type DelayedTask, OnDelayedTask } from 'nestjs-delay-queue';
import fc from 'fast-check';
import { RedisServer, type SharedRedis } from '../support/redis-server.js';
import { waitFor } from '../support/wait-for.js';
import { TestApps } from './support/test-apps.js';

const apps = new TestApps();
let redis: SharedRedis;

beforeAll(async () => {
  redis = await RedisServer.shared();
}, 30_000);
afterEach(() => apps.closeAll(), 30_000);
afterAll(() => redis.release(), 30_000);

const started: string[] = [];

@Injectable()
class Handler {
  @OnDelayedTask('raced', { concurrency: 50 })
  handle(_payload: unknown, task: DelayedTask): void {
    started.push(task.id);
  }
}

function boot(prefix: string, providers: readonly Type[]) {
  return apps.boot({
    queue: { connection: redis.url, prefix: `${redis.prefix}-${prefix}` },
    providers: [...providers],
  });
}

describe('calls that race', () => {
  it('C24 a thousand cancellations in the instant of the due time: each task is cancelled or runs, never both', async () => {
    started.length = 0;
    const { producer } = await boot('c24', [Handler]);
    const cancelled: string[] = [];
    const answers = new Set<string>();
    // Each task falls due while its cancellation is on its way: the delays sweep over the time that a call takes.
    const race = async (index: number): Promise<void> => {
      const id = `t${index}`;
      await producer.schedule('raced', {}, { delay: index % 4, id });
      const { status } = await producer.cancel('raced', id);
      answers.add(status);
      if (status === 'cancelled') cancelled.push(id);
    };
    for (let from = 0; from < 1_000; from += 20) {
      await Promise.all(Array.from({ length: 20 }, (_, offset) => race(from + offset)));
    }
    await waitFor(() => started.length + cancelled.length >= 1_000, {
      deadlineMs: 20_000,
      what: 'every task to be cancelled or to have run',
    });
    const ran = new Set(started);
    expect(ran.size).toBe(started.length);
    expect(cancelled.filter((id) => ran.has(id))).toEqual([]);
    expect(ran.size + cancelled.length).toBe(1_000);
    expect([...answers].every((status) => ['cancelled', 'running', 'not_found'].includes(status))).toBe(true);
    // The race was one: both outcomes have come about.
    expect(cancelled.length).toBeGreaterThan(0);
    expect(ran.size).toBeGreaterThan(0);
  }, 60_000);

  it('C51 a thousand interleaved calls of one tick leave the state of the calls made one after the other', async () => {
    const { producer } = await boot('c51', []);
    const calls = fc.sample(
      fc.record({ id: fc.constantFrom('a', 'b', 'c', 'd'), call: fc.constantFrom('schedule', 'cancel', 'reschedule') }),
      { numRuns: 1_000, seed: 51 },
    );
    const expected = expectedStatuses(calls);
    const statuses = await Promise.all(
      calls.map(async ({ id, call }) => {
        if (call === 'schedule') return (await producer.schedule('raced', {}, { delay: '1h', id })).status;
        if (call === 'cancel') return (await producer.cancel('raced', id)).status;
        return (await producer.reschedule('raced', id, { delay: '2h' })).status;
      }),
    );
    expect(statuses).toEqual(expected);
  }, 60_000);
});

/** What the calls answer when each is made after the one before. */
function expectedStatuses(calls: readonly { readonly id: string; readonly call: string }[]): readonly string[] {
  const waiting = new Set<string>();
  return calls.map(({ id, call }) => {
    const waits = waiting.has(id);
    if (call === 'schedule') waiting.add(id);
    if (call === 'cancel') waiting.delete(id);
    if (call === 'schedule') return waits ? 'duplicate' : 'created';
    if (call === 'cancel') return waits ? 'cancelled' : 'not_found';
    return waits ? 'rescheduled' : 'not_found';
  });
}
