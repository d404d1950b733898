import { Redis } from 'ioredis';
import type { BenchTask } from '../bench-task.js';
import { type RawClaim, RawConsumer } from './raw-consumer.js';
import { CANCEL, RESCHEDULE, SCHEDULE, TURN } from './raw-scripts.js';
import { firstType, type OpenOptions, type SubjectSession } from './subject.js';

const LEASE_MS = 30_000;

/** Tasks of one script call when many are scheduled. */
const SCHEDULE_BATCH = 100;

/** Plain ioredis and the smallest scripts: what Redis itself allows, without what makes a queue. */
export async function openRaw({ redisUrl, types, consume }: OpenOptions): Promise<SubjectSession> {
  const client = new RawClient(redisUrl, firstType(types));
  await client.ready();
  const turn = (limit: number, settled: readonly string[]): Promise<RawClaim> => client.turn(limit, settled);
  const consumer = consume === null ? null : new RawConsumer(turn, consume);

  return {
    async schedule(task) {
      expectCount(1, await client.schedule([task]));
    },
    async scheduleMany(tasks) {
      const batches: (readonly BenchTask[])[] = [];
      for (let start = 0; start < tasks.length; start += SCHEDULE_BATCH) {
        batches.push(tasks.slice(start, start + SCHEDULE_BATCH));
      }
      await Promise.all(batches.map(async (batch) => expectCount(batch.length, await client.schedule(batch))));
    },
    async cancel(id) {
      expectCount(1, await client.cancel(id));
    },
    async reschedule(id, dueAtMs) {
      expectCount(1, await client.reschedule(id, dueAtMs));
    },
    countWaiting: () => client.countWaiting(),
    async close() {
      await consumer?.stop();
      client.close();
    },
  };
}

/** The scripts of one set of keys, sent by their digests. */
class RawClient {
  private readonly redis: Redis;
  private readonly keys: readonly string[];
  private readonly digests = new Map<string, string>();

  constructor(url: string, type: string) {
    this.redis = new Redis(url);
    this.keys = [`{${type}}:due`, `{${type}}:leased`, `{${type}}:task`];
  }

  async ready(): Promise<void> {
    for (const script of [SCHEDULE, TURN, CANCEL, RESCHEDULE]) {
      this.digests.set(script, (await this.redis.script('LOAD', script)) as string);
    }
  }

  async schedule(tasks: readonly BenchTask[]): Promise<unknown> {
    return this.call(
      SCHEDULE,
      tasks.flatMap(({ id, dueAtMs, payload }) => [id, dueAtMs, JSON.stringify(payload)]),
    );
  }

  async cancel(id: string): Promise<unknown> {
    return this.call(CANCEL, [id]);
  }

  async reschedule(id: string, dueAtMs: number): Promise<unknown> {
    return this.call(RESCHEDULE, [id, dueAtMs]);
  }

  async turn(limit: number, settled: readonly string[]): Promise<RawClaim> {
    const reply = (await this.call(TURN, [limit, LEASE_MS, ...settled])) as string[];
    const [nowMs = '', nextDueMs = '', ...payloads] = reply;
    return { payloads, nextInMs: nextDueMs === '' ? null : Number(nextDueMs) - Number(nowMs) };
  }

  async countWaiting(): Promise<number> {
    return this.redis.zcard(this.keys[0] ?? '');
  }

  close(): void {
    this.redis.disconnect();
  }

  private async call(script: string, args: (string | number)[]): Promise<unknown> {
    const digest = this.digests.get(script);
    if (digest === undefined) throw new Error('the script is not loaded');
    return this.redis.evalsha(digest, this.keys.length, ...this.keys, ...args);
  }
}

function expectCount(expected: number, count: unknown): void {
  if (count !== expected) throw new Error(`${String(count)} of ${expected} were changed`);
}
