import { describe, expect, it } from '@jest/globals';
import { ConfigurationError, LedgerUnavailableError } from '../core/errors.js';
import type { LedgerConnection } from '../task/ledger-connection.js';
import { SqlLedger, type SqlLedgerOptions } from './sql-ledger.js';

const connection = { query: () => Promise.resolve({ rows: [], rowCount: 0 }) };
const OPTIONS = { queue: 'shop', callTimeoutMs: 20, relayAfterMs: 0, sweepAfterMs: 0 };

const refusalOf = (options: unknown): unknown => {
  try {
    return new SqlLedger(options as SqlLedgerOptions);
  } catch (error) {
    return error;
  }
};

describe('SqlLedger', () => {
  it.each([
    [{ dialect: 'sqlite', connection }, 'ledger.dialect'],
    [{ connection }, 'ledger.dialect'],
    [{ dialect: 'postgresql', connection: undefined }, 'ledger.connection'],
    [{ dialect: 'postgresql', connection: {} }, 'ledger.connection'],
    [{ dialect: 'mysql', connection, tablePrefix: 'a b' }, 'ledger.tablePrefix'],
    [{ dialect: 'mysql', connection, tablePrefix: '' }, 'ledger.tablePrefix'],
    [{ dialect: 'mysql', connection, tablePrefix: 'x; DROP TABLE orders' }, 'ledger.tablePrefix'],
    [{ dialect: 'mysql', connection, tablePrefix: 'a'.repeat(31) }, 'ledger.tablePrefix'],
  ])('refuses %o', (options, field) => {
    const refusal = refusalOf(options);
    expect(refusal).toBeInstanceOf(ConfigurationError);
    expect(refusal).toMatchObject({ field });
  });

  it('names its tables by the prefix, in a schema if there is one', async () => {
    const statements: string[] = [];
    const query = (sql: string): Promise<unknown> => (statements.push(sql), Promise.resolve({ rows: [], rowCount: 0 }));
    const ledger = new SqlLedger({ dialect: 'postgresql', connection: { query }, tablePrefix: 'app.queue_' });
    await ledger.migrate();
    expect(statements[0]).toContain('CREATE TABLE app.queue_tasks (');
    expect(statements[0]).toContain('CREATE UNIQUE INDEX queue_tasks_by_id ON app.queue_tasks (');
  });

  it('gives a call up that takes too long', async () => {
    const silent = { query: () => new Promise<never>(() => undefined) };
    const ledger = new SqlLedger({ dialect: 'postgresql', connection: silent }).open(OPTIONS);
    const rejection = ledger.read(['a']);
    await expect(rejection).rejects.toBeInstanceOf(LedgerUnavailableError);
    await expect(rejection).rejects.toThrow('no answer within 20 ms');
  });

  it('wraps what the database says on its own connection, and lets it through on that of a caller', async () => {
    const cause = new Error('deadlock detected');
    const failing: LedgerConnection = { query: () => Promise.reject(cause) };
    const ledger = new SqlLedger({ dialect: 'postgresql', connection: failing }).open(OPTIONS);
    await expect(ledger.read(['a'])).rejects.toMatchObject({ code: 'ledger_unavailable', cause });
    await expect(ledger.complete('a', failing)).rejects.toBe(cause);
  });

  it('needs transactions of its own on MySQL, and says so', async () => {
    const ledger = new SqlLedger({ dialect: 'mysql', connection }).open(OPTIONS);
    await expect(ledger.take('staged', { limit: 1, holdMs: 1 })).rejects.toMatchObject({
      code: 'configuration',
      field: 'connection',
    });
  });
});
