import { describe, expect, it } from '@jest/globals';
import type { LedgerState, TaskLedger } from '../../ports/task-ledger.js';
import { LedgerDesk } from './ledger-desk.js';

/** A ledger that only writes down what it is asked. */
function recording(states: Readonly<Record<string, LedgerState>> = {}): { ledger: TaskLedger; calls: unknown[][] } {
  const calls: unknown[][] = [];
  const ledger: Pick<TaskLedger, 'states' | 'end' | 'revive'> = {
    states: (rows) => {
      calls.push(['states', [...rows]]);
      return Promise.resolve(new Map(Object.entries(states).filter(([row]) => rows.includes(row))));
    },
    end: (rows, state) => {
      calls.push(['end', [...rows], state]);
      return state === 'dead' ? Promise.reject(new Error('no')) : Promise.resolve(rows.length);
    },
    revive: (rows) => {
      calls.push(['revive', [...rows]]);
      return Promise.resolve();
    },
  };
  return { ledger: ledger as TaskLedger, calls };
}

describe('LedgerDesk', () => {
  it('asks for the states of one tick in one call, and answers each', async () => {
    const { ledger, calls } = recording({ a: 'done', b: 'indexed' });
    const desk = new LedgerDesk(ledger);
    const answers = await Promise.all(['a', 'b', 'c'].map((row) => desk.stateOf(row)));
    expect(answers).toEqual(['done', 'indexed', undefined]);
    expect(calls).toEqual([['states', ['a', 'b', 'c']]]);
  });

  it('splits what one call cannot carry', async () => {
    const { ledger, calls } = recording();
    const desk = new LedgerDesk(ledger);
    await Promise.all(Array.from({ length: 1_200 }, (_, index) => desk.end(`${index}`, 'done')));
    expect(calls.map(([, rows]) => (rows as string[]).length)).toEqual([500, 500, 200]);
  });

  it('keeps calls of different kinds apart, and fails only those that failed', async () => {
    const { ledger, calls } = recording();
    const desk = new LedgerDesk(ledger);
    const answers = await Promise.allSettled([desk.end('a', 'done'), desk.end('b', 'dead'), desk.revive('c')]);
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(calls).toEqual([
      ['end', ['a'], 'done'],
      ['end', ['b'], 'dead'],
      ['revive', ['c']],
    ]);
  });
});
