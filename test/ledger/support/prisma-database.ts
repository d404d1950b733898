import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from '../prisma/generated/client.js';
import type { LedgerDatabase } from './ledger-database.js';

/** Time that a transaction may take, and wait for a connection, on a busy machine. */
const LIMITS = { timeout: 60_000, maxWait: 60_000 };

/** A client of Prisma, with the driver adapter for `pg`. */
export function newPrismaClient(url: string): PrismaClient {
  return new PrismaClient({ adapter: new PrismaPg({ connectionString: url }), transactionOptions: LIMITS });
}

/** PostgreSQL with Prisma. */
export function openPrismaPostgres(url: string): Promise<LedgerDatabase> {
  const prisma = newPrismaClient(url);
  return Promise.resolve({
    dialect: 'postgresql',
    connection: prisma,
    transaction: (work) => prisma.$transaction((tx) => work(tx)),
    close: () => prisma.$disconnect(),
  });
}
