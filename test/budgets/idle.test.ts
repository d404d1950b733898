import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { HandlerOptions } from 'nestjs-delay-queue';
import { CommandMonitor, ofClients, type SeenCommand } from '../support/command-monitor.js';
import { elapse } from '../support/elapse.js';
import { RedisServer } from '../support/redis-server.js';
import { waitFor } from '../support/wait-for.js';
import { Fleet } from './support/fleet.js';

/** Time for everybody to connect and to come to rest. */
const REST_MS = 4_000;

/** Time in which commands are counted; four looks of a holder. */
const WINDOW_MS = 10_000;

const HOUR_MS = 3_600_000;

interface IdleCase {
  readonly processes: number;
  readonly types?: number;
  readonly options?: HandlerOptions;
  /** Tasks that wait. */
  readonly tasks?: number;
  /** @default an hour */
  readonly delayMs?: number;
}

/** What was sent in the window, and how long it was: a busy machine makes it longer. */
interface IdleResult {
  readonly commands: readonly SeenCommand[];
  readonly seconds: number;
}

const TYPE = 'type_0';

const CASES = {
  'one process': { processes: 1 },
  '20 types': { processes: 1, types: 20 },
  '20 processes': { processes: 20 },
  'far tasks': { processes: 1, tasks: 1_000 },
  'full, one place': { processes: 1, options: { concurrency: 1 }, tasks: 1_000, delayMs: 0 },
  'full, 4 processes': { processes: 4, tasks: 1_000, delayMs: 0 },
} satisfies Record<string, IdleCase>;

const results = new Map<string, IdleResult>();
const endings: (() => Promise<void>)[] = [];

beforeAll(async () => {
  const measured = Object.entries(CASES).map(async ([name, plan]) => results.set(name, await measure(plan)));
  await Promise.all(measured);
}, 120_000);

afterAll(async () => {
  await Promise.all(endings.map((end) => end()));
}, 60_000);

async function measure({ processes, types = 1, options, tasks = 0, delayMs = HOUR_MS }: IdleCase): Promise<IdleResult> {
  const server = await RedisServer.start();
  let started = 0;
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const run = async (): Promise<void> => {
    started++;
    await released;
  };
  const typeNames = Array.from({ length: types }, (_, index) => `type_${index}`);
  const fleet = await Fleet.start({ redisUrl: server.url, processes, types: typeNames, options: options ?? {}, run });
  endings.push(async () => {
    release();
    await fleet.close();
    await server.stop();
  });
  const items = Array.from({ length: tasks }, (_, index) => ({ payload: {}, delay: delayMs, id: `t${index}` }));
  await fleet.first.producer.scheduleMany(TYPE, items);
  const places = processes * (options?.concurrency ?? 10);
  if (delayMs === 0) await waitFor(() => started === places, { deadlineMs: 30_000, what: 'every place to be taken' });
  await elapse(REST_MS);
  const monitor = await CommandMonitor.start(server.url);
  const startMs = performance.now();
  await elapse(WINDOW_MS);
  const commands = await monitor.take();
  monitor.stop();
  return { commands, seconds: (performance.now() - startMs) / 1000 };
}

/** Commands that clients may send in the window; one more, because a period may begin and end with one. */
const allowed = (perSecond: number, { seconds }: IdleResult): number => Math.floor(perSecond * seconds) + 1;

const resultOf = (name: keyof typeof CASES): IdleResult => {
  const result = results.get(name);
  if (result === undefined) throw new Error(`'${name}' was not measured`);
  return result;
};

describe('C20 an idle queue sends no more than its budget', () => {
  it.each<[keyof typeof CASES, number]>([
    ['one process', 0.5],
    ['20 types', 0.6],
    ['20 processes', 1],
    ['far tasks', 0.5],
    ['full, one place', 0.5],
    ['full, 4 processes', 1],
  ])('%s: %d commands a second', (name, perSecond) => {
    const result = resultOf(name);
    const names = ofClients(result.commands).map(({ name: command }) => command);
    expect(names.length).toBeLessThanOrEqual(allowed(perSecond, result));
  });

  it.each<[keyof typeof CASES]>([['one process'], ['20 types'], ['20 processes'], ['far tasks']])(
    '%s: says something, for a queue that says nothing at all is not idle but dead',
    (name) => {
      expect(ofClients(resultOf(name).commands).length).toBeGreaterThan(0);
    },
  );
});

describe('C55 full processes with 1,000 overdue tasks', () => {
  it.each<[keyof typeof CASES]>([['full, one place'], ['full, 4 processes']])('%s: publish hardly anything', (name) => {
    const { commands, seconds } = resultOf(name);
    const published = commands.filter(({ name: command }) => command === 'publish');
    expect(published.length).toBeLessThanOrEqual(Math.floor(seconds) + 1);
  });
});
