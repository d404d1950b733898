import { describe, expect, it } from '@jest/globals';
import { InvalidArgumentError } from '../core/errors.js';
import type { LedgerConnection } from '../task/ledger-connection.js';
import { sqlRunnerOf } from './sql-runner.js';

const answering = (answer: unknown): LedgerConnection => ({ query: () => Promise.resolve(answer) });
const ROWS = [{ a: 1 }, { a: 2 }];

describe('sqlRunnerOf', () => {
  it.each([
    ['pg', { rows: ROWS, rowCount: 2 }],
    ['mysql2', [ROWS, [{ name: 'a' }]]],
    ['mariadb, TypeORM', ROWS],
    ['TypeORM, of a change that answers rows', [ROWS, 2]],
  ])('understands the rows of %s', async (_, answer) => {
    expect(await sqlRunnerOf(answering(answer), 'tx').rows('', [])).toEqual(ROWS);
  });

  it.each([
    ['pg', { rows: [], rowCount: 3 }],
    ['mysql2', [{ affectedRows: 3 }, undefined]],
    ['mariadb', { affectedRows: 3, insertId: 0n }],
    ['TypeORM on PostgreSQL', [[], 3]],
    ['TypeORM on MySQL', { affectedRows: 3 }],
  ])('understands the count of %s', async (_, answer) => {
    expect(await sqlRunnerOf(answering(answer), 'tx').execute('', [])).toBe(3);
  });

  it('understands that nothing was found', async () => {
    for (const answer of [[], { rows: [] }, [[], []], [[], 0]]) {
      expect(await sqlRunnerOf(answering(answer), 'tx').rows('', [])).toEqual([]);
    }
  });

  it('passes parameters as an array, or one by one to raw calls', async () => {
    const calls: unknown[][] = [];
    const query = (...args: unknown[]): Promise<unknown> => (calls.push(args), Promise.resolve([]));
    await sqlRunnerOf({ query }, 'tx').rows('s', [1, 'b']);
    await sqlRunnerOf({ query }, 'tx').rows('s', []);
    const raw = { $queryRawUnsafe: query, $executeRawUnsafe: () => Promise.resolve(1) };
    await sqlRunnerOf(raw, 'tx').rows('s', [1, 'b']);
    expect(calls).toEqual([['s', [1, 'b']], ['s'], ['s', 1, 'b']]);
  });

  it.each([null, undefined, 7, {}, 'postgres://host', { query: 'select' }, { $queryRawUnsafe: () => [] }])(
    'refuses %p',
    (connection) => {
      expect(() => sqlRunnerOf(connection as unknown as LedgerConnection, 'tx')).toThrow(InvalidArgumentError);
      expect(() => sqlRunnerOf(connection as unknown as LedgerConnection, 'tx')).toThrow(/^tx: must be a connection/);
    },
  );

  it('refuses a query that answers through a callback', async () => {
    const callback = { query: () => ({ on: () => undefined }) } as unknown as LedgerConnection;
    await expect(sqlRunnerOf(callback, 'tx').rows('', [])).rejects.toThrow('use the promise API');
  });

  it.each([null, 'OK', { ok: true }])('refuses the answer %p', async (answer) => {
    await expect(sqlRunnerOf(answering(answer), 'tx').rows('', [])).rejects.toThrow(InvalidArgumentError);
    await expect(sqlRunnerOf(answering(answer), 'tx').execute('', [])).rejects.toThrow(InvalidArgumentError);
  });
});
