import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import type { DelayedTask, ScheduleItem } from 'nestjs-delay-queue';
import { RedisServer } from '../support/redis-server.js';
import { waitFor } from '../support/wait-for.js';
import { Fleet } from './support/fleet.js';
import { ServerPulse } from './support/server-pulse.js';

const TASKS = 200_000;
const PER_CALL = 5_000;
const WORKERS = 2;
const CONCURRENCY = 20;

/** A worker holds at most three times as many claimed tasks beside those that run. */
const MAX_LEASED = WORKERS * CONCURRENCY * 4;

const SLOW_SCRIPT_MS = 50;
const SLOW_PING_MS = 100;

let server: RedisServer;
/** Does nothing: what its answers take is the machine's share in what the other's take. */
let control: RedisServer;
let fleet: Fleet;
let redis: Redis;
const runs = new Map<string, number>();

beforeAll(async () => {
  [server, control] = await Promise.all([RedisServer.start(), RedisServer.start()]);
  const run = ({ id }: DelayedTask): void => void runs.set(id, (runs.get(id) ?? 0) + 1);
  const options = { concurrency: CONCURRENCY };
  fleet = await Fleet.start({ redisUrl: server.url, processes: WORKERS, types: ['crowd'], options, run });
  redis = new Redis(server.url);
}, 60_000);

afterAll(async () => {
  redis.disconnect();
  await fleet.close();
  await Promise.all([server.stop(), control.stop()]);
}, 60_000);

it('C19 200,000 tasks due at one instant: short scripts, a server that answers, few tasks held, pages', async () => {
  const { producer, admin } = fleet.first;
  // The instant at which they fall due together is that of the resumption.
  await admin.pause('crowd');
  const at = new Date();
  for (let first = 0; first < TASKS; first += PER_CALL) {
    const items: ScheduleItem<unknown>[] = Array.from({ length: PER_CALL }, (_, n) => ({
      payload: {},
      at,
      id: `t${first + n}`,
    }));
    await producer.scheduleMany('crowd', items);
  }
  expect(await admin.stats('crowd')).toMatchObject({ waiting: TASKS, overdue: TASKS });
  const page = await admin.listWaiting('crowd');
  expect(page.items.length).toBeLessThanOrEqual(100);
  expect(page.nextCursor).not.toBeNull();

  await redis.config('SET', 'slowlog-log-slower-than', SLOW_SCRIPT_MS * 1_000, 'slowlog-max-len', 100_000);
  await redis.call('SLOWLOG', 'RESET');
  await redis.config('RESETSTAT');
  const [pulse, controlPulse] = [new ServerPulse(server.url), new ServerPulse(control.url)];
  let leased = 0;
  await admin.resume('crowd');
  await waitFor(
    async () => {
      const stats = await admin.stats('crowd');
      leased = Math.max(leased, stats.running);
      return stats.waiting + stats.running === 0;
    },
    { deadlineMs: 240_000, what: 'the crowd to have run' },
  );
  const [pingMs, controlPingMs] = await Promise.all([pulse.stop(), controlPulse.stop()]);

  expect(runs.size).toBe(TASKS);
  expect([...runs.values()].every((count) => count === 1)).toBe(true);
  expect(leased).toBeLessThanOrEqual(MAX_LEASED);
  // A machine that stands still for a moment makes any script look slow, but not one in a hundred.
  const [, calls = '0', usec = '0'] =
    /cmdstat_evalsha:calls=(\d+),usec=(\d+)/.exec(await redis.info('commandstats')) ?? [];
  expect(Number(usec) / Number(calls)).toBeLessThan(SLOW_SCRIPT_MS * 1_000);
  expect(Number(await redis.call('SLOWLOG', 'LEN'))).toBeLessThanOrEqual(Number(calls) / 100);
  expect(pingMs).toBeLessThan(SLOW_PING_MS + 5 * controlPingMs);
}, 300_000);
