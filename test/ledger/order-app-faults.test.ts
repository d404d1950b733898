import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CompiledPrograms } from '../support/compiled-programs.js';
import { FaultRun } from './order-app/fault-run.js';

const START_MS = 180_000;
const RUN_MS = 900_000;

/** Steps that placing an order is known to take: before each of them the app must have been killed. */
const PLACING = [
  'START',
  'UPDATE stock',
  'INSERT orders',
  'INSERT delay_queue_tasks',
  'COMMIT',
  'SELECT delay_queue_tasks',
  'redis',
  'UPDATE delay_queue_tasks indexed',
];

/** Those of cancelling one. */
const CANCELLING = ['START', 'UPDATE delay_queue_tasks done', 'UPDATE orders', 'UPDATE stock', 'COMMIT', 'redis'];

describe('the order app', () => {
  const programs = new CompiledPrograms();
  const runs: FaultRun[] = [];

  beforeAll(async () => {
    const program = await programs.pathOf('test/ledger/order-app/shop-process.ts');
    runs.push(...(await Promise.all([FaultRun.open(program), FaultRun.open(program)])));
  }, START_MS);

  afterAll(async () => {
    await Promise.all(runs.map((run) => run.close()));
    await programs.remove();
  }, START_MS);

  it(
    'C44 C45 killed before every step of placing and of cancelling, with Redis flushed in between or not: every order is right',
    async () => {
      const results = await Promise.all(
        runs.map(async (run, index) => {
          const flushes = index === 1;
          await run.killAtEveryStep('placing', { flushes });
          await run.killAtEveryStep('cancelling', { flushes });
          return run.finish();
        }),
      );
      for (const { orders, kills, flushes, wrongOrders, stockDifference, killedBefore } of results) {
        process.stderr.write(
          `order app: ${orders} orders, ${kills} kills, ${flushes} flushes of Redis, ` +
            `${wrongOrders} wrong orders, stock difference ${stockDifference}\n`,
        );
        expect(killedBefore.placing).toEqual(expect.arrayContaining(PLACING));
        expect(killedBefore.cancelling).toEqual(expect.arrayContaining(CANCELLING));
        expect({ wrongOrders, stockDifference }).toEqual({ wrongOrders: 0, stockDifference: 0 });
      }
      expect(results.map(({ flushes }) => flushes > 0)).toEqual([false, true]);
    },
    RUN_MS,
  );
});
