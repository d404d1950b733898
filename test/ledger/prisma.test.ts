import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { DelayedTask } from 'nestjs-delay-queue';
import { SqlLedger } from 'nestjs-delay-queue/ledger';
import { PostgresServer, type SharedPostgres } from '../support/postgres-server.js';
import { waitFor } from '../support/wait-for.js';
import type { PrismaClient } from './prisma/generated/client.js';
import { type LedgerApp, LedgerSite, START_MS, TYPE, type Work } from './support/ledger-site.js';
import { newPrismaClient } from './support/prisma-database.js';

const TEST_MS = 60_000;

let postgres: SharedPostgres;
let site: LedgerSite;
let prisma: PrismaClient;

beforeAll(async () => {
  postgres = await PostgresServer.shared();
  site = await LedgerSite.open(undefined, postgres);
  prisma = newPrismaClient(postgres.url);
  await site.pool.query('CREATE TABLE prisma_effects (task_id text PRIMARY KEY, "delivery" integer NOT NULL)');
}, START_MS);
afterEach(() => site.afterEach(), START_MS);
afterAll(async () => {
  await prisma.$disconnect();
  await site.close();
}, START_MS);

/** An application that has its database by Prisma alone. */
function boot(work?: Work): Promise<LedgerApp> {
  const backend = new SqlLedger({ dialect: 'postgresql', connection: prisma });
  return site.boot({
    ...(work !== undefined && { work, handler: { backoff: { type: 'fixed', delay: 0 } } }),
    ledger: { backend, migrate: true },
  });
}

/** Ends the task with what it does, both through Prisma. */
async function completeWithEffect(task: DelayedTask): Promise<void> {
  await prisma.$transaction(async (tx) => {
    await task.complete(tx);
    await tx.effect.create({ data: { taskId: task.id, delivery: task.deliveries } });
    if (task.deliveries === 1) throw new Error('rolled back');
  });
}

describe('in a $transaction of Prisma', () => {
  it(
    'a task is scheduled with a model, and completed with another, once',
    async () => {
      const { producer } = await boot(completeWithEffect);
      const staged = await prisma.$transaction(async (tx) => {
        await tx.effect.create({ data: { taskId: 'order', delivery: 0 } });
        return producer.schedule(TYPE, {}, { delay: 0, id: 'a', tx });
      });
      expect(staged).toMatchObject({ status: 'staged', dueAt: expect.any(Date) });
      await site.untilState('a', 'done');
      // The first delivery was rolled back, with its completion.
      expect(await prisma.effect.findMany({ orderBy: { taskId: 'asc' } })).toEqual([
        { taskId: 'a', delivery: 2 },
        { taskId: 'order', delivery: 0 },
      ]);
    },
    TEST_MS,
  );

  it(
    'C49 a task whose transaction rolls back never existed',
    async () => {
      const { producer } = await boot();
      const staging = prisma.$transaction(async (tx) => {
        await producer.schedule(TYPE, {}, { delay: 0, id: 'b', tx });
        throw new Error('no');
      });
      await expect(staging).rejects.toThrow('no');
      expect(await site.statesOf('b')).toEqual([]);
    },
    TEST_MS,
  );

  it(
    'a task is moved and cancelled',
    async () => {
      const { producer } = await boot();
      const staged = await prisma.$transaction((tx) => producer.schedule(TYPE, {}, { delay: '1h', id: 'c', tx }));
      expect(await staged.index()).toEqual({ status: 'indexed' });
      const moved = await prisma.$transaction((tx) => producer.reschedule(TYPE, 'c', { delay: '2h', tx }));
      expect(moved.dueAt?.getTime()).toBeGreaterThan(Date.now() + 5_400_000);
      const again = await prisma.$transaction((tx) => producer.schedule(TYPE, {}, { delay: '1h', id: 'c', tx }));
      expect(again.status).toBe('duplicate');
      const cancelled = await prisma.$transaction((tx) => producer.cancel(TYPE, 'c', { tx }));
      expect(cancelled).toEqual({ status: 'cancelled', state: 'none' });
      await waitFor(async () => (await producer.get(TYPE, 'c')) === null, {
        deadlineMs: 15_000,
        what: 'the task to leave the store',
      });
      expect(await site.statesOf('c')).toEqual(['cancelled']);
    },
    TEST_MS,
  );
});
