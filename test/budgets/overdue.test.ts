import { afterEach, expect, it } from '@jest/globals';
import { setTimeout as work } from 'node:timers/promises';
import { CommandMonitor, ofClients } from '../support/command-monitor.js';
import { RedisServer } from '../support/redis-server.js';
import { waitFor } from '../support/wait-for.js';
import { Fleet, isTurn } from './support/fleet.js';

const TASKS = 1_000;

const endings: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end();
}, 60_000);

it.each([
  ['one process with one place', 1, 1, 1],
  ['4 processes with 5 places each', 4, 5, 20],
])(
  'C55 %s run 1,000 overdue tasks with hardly more turns than tasks, and no storm of messages',
  async (_, processes, concurrency, workMs) => {
    const server = await RedisServer.start();
    endings.push(() => server.stop());
    const started = new Set<string>();
    let runs = 0;
    const run = async ({ id }: { readonly id: string }): Promise<void> => {
      started.add(id);
      runs++;
      await work(workMs);
    };
    const fleet = await Fleet.start({ redisUrl: server.url, processes, types: ['due'], options: { concurrency }, run });
    endings.push(() => fleet.close());
    const { producer, admin } = fleet.first;
    await admin.pause('due');
    const items = Array.from({ length: TASKS }, (_none, index) => ({ payload: {}, delay: 0, id: `t${index}` }));
    await producer.scheduleMany('due', items);
    const monitor = await CommandMonitor.start(server.url);
    endings.push(() => Promise.resolve(monitor.stop()));
    await admin.resume('due');
    await waitFor(async () => runs >= TASKS && (await admin.stats('due')).running === 0, {
      deadlineMs: 60_000,
      what: 'all tasks to have run',
    });
    const commands = await monitor.take();
    const turns = ofClients(commands).filter(isTurn).length;
    const published = commands.filter(({ name }) => name === 'publish').length;
    expect([started.size, runs]).toEqual([TASKS, TASKS]);
    // Each turn settles what has ended, and claims as much: more than one a task would be turns in vain.
    expect(turns).toBeGreaterThanOrEqual(TASKS / 500);
    expect(turns).toBeLessThanOrEqual(TASKS * 1.2);
    expect(published).toBeLessThanOrEqual(turns * 1.5);
  },
  90_000,
);
