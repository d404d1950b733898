import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { CommandMonitor, ofClients } from '../support/command-monitor.js';
import { elapse } from '../support/elapse.js';
import { RedisServer } from '../support/redis-server.js';
import { waitFor } from '../support/wait-for.js';
import { Fleet, isTurn } from './support/fleet.js';

const PROCESSES = 20;
const TASKS = 10;

/** Turns of all processes together for one task: the claim, the completion, and a few who looked in vain. */
const TURNS_PER_TASK = 5;

/** Time for everybody to come to rest, and for what a task has caused to show. */
const REST_MS = 4_000;
const AFTERMATH_MS = 300;

let server: RedisServer;
let fleet: Fleet;
const started: string[] = [];

beforeAll(async () => {
  server = await RedisServer.start();
  const run = ({ id }: { readonly id: string }): void => void started.push(id);
  fleet = await Fleet.start({ redisUrl: server.url, processes: PROCESSES, types: ['lone'], run });
}, 60_000);

afterAll(async () => {
  await fleet.close();
  await server.stop();
}, 60_000);

it('C55 a lone due task is claimed without a crowd: few turns of 20 processes, and one run', async () => {
  await elapse(REST_MS);
  const monitor = await CommandMonitor.start(server.url);
  for (let task = 0; task < TASKS; task++) {
    const id = `t${task}`;
    await fleet.first.producer.schedule('lone', {}, { delay: 200, id });
    await waitFor(() => started.includes(id), { deadlineMs: 20_000, what: `${id} to run` });
    await elapse(AFTERMATH_MS);
  }
  const turns = ofClients(await monitor.take()).filter(isTurn);
  monitor.stop();
  expect(started).toHaveLength(TASKS);
  // Claimed and completed: whatever counts fewer does not see the turns.
  expect(turns.length).toBeGreaterThanOrEqual(TASKS);
  expect(turns.length).toBeLessThanOrEqual(TASKS * TURNS_PER_TASK);
}, 60_000);
