import { afterAll, beforeAll, describe } from '@jest/globals';
import { SqlLedger } from 'nestjs-delay-queue/ledger';
import type { LedgerDatabase, OpenLedgerDatabase } from '../support/ledger-database.js';
import { describeEpochs } from './epochs.js';
import { describeIdentity } from './identity.js';
import { describeMigrations } from './migrations.js';
import { describeStaging } from './staging.js';
import { describeTaking } from './taking.js';
import { describeTransitions } from './transitions.js';

/** Starts a database; it takes seconds, and many more on a busy machine. */
const START_MS = 180_000;

/** A server that a suite of tests uses. */
export interface LedgerServer {
  readonly url: string;
  release(): Promise<void>;
}

/** What every ledger must do, whatever its database is and however it is reached. */
export function describeTaskLedgers(
  product: string,
  startServer: () => Promise<LedgerServer>,
  libraries: Readonly<Record<string, OpenLedgerDatabase>>,
): void {
  describe(`${product}`, () => {
    let server: LedgerServer;

    beforeAll(async () => {
      server = await startServer();
    }, START_MS);

    afterAll(() => server.release(), START_MS);

    describe.each(Object.keys(libraries))('with %s', (library) => {
      let database: LedgerDatabase;
      const open = libraries[library] as OpenLedgerDatabase;

      beforeAll(async () => {
        database = await open(server.url);
        await new SqlLedger(database).migrate();
      }, START_MS);

      afterAll(() => database.close());

      const given = (): LedgerDatabase => database;
      describeMigrations(given);
      describeStaging(given);
      describeIdentity(given);
      describeTransitions(given);
      describeTaking(given);
      describeEpochs(given);
    });
  });
}
