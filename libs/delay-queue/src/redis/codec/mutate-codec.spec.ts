import { describe, expect, it } from '@jest/globals';
import type { Mutation } from '../../ports/mutation.js';
import { decodeMutationResults, encodeMutations, splitMutations } from './mutate-codec.js';

function schedule(id: string, envelope = 'E'): Mutation {
  return { kind: 'schedule', id, due: { delayMs: 5 }, envelope, onDuplicate: 'keep' };
}

describe('encodeMutations', () => {
  it('writes the ids, the orders and then the envelopes', () => {
    const mutations: Mutation[] = [
      schedule('a'),
      { kind: 'schedule', id: 'b', due: { atMs: 1_700_000_000_000 }, envelope: 'F', onDuplicate: 'replace' },
      { kind: 'reschedule', id: 'c', due: { delayMs: 0 } },
      { kind: 'runNow', id: 'd' },
      { kind: 'cancel', id: 'e' },
      { kind: 'redrive', id: 'f' },
      { kind: 'purgeDead', id: 'g' },
    ];
    const orders = 'k+5|1;r1700000000000|1;m+0|1;n|1;c|1;v|1;p|1;';
    expect(encodeMutations('ch', mutations)).toEqual(['ch', '["a","b","c","d","e","f","g"]', orders, 'E', 'F']);
  });
});

describe('decodeMutationResults', () => {
  it('reads one result for each answer', () => {
    const mutations = ['a', 'b', 'c', 'd'].map((id) => schedule(id));
    expect(decodeMutationResults('cw1700000000000,do,Rr7,xn', mutations)).toEqual([
      { status: 'created', state: 'waiting', dueAtMs: 1_700_000_000_000 },
      { status: 'duplicate', state: 'done', dueAtMs: null },
      { status: 'running', state: 'running', dueAtMs: 7 },
      { status: 'cancelled', state: 'none', dueAtMs: null },
    ]);
  });

  it('takes the due time that was asked for, where the answer says no more', () => {
    const mutation: Mutation = { ...schedule('a'), due: { atMs: 1_700_000_000_000 } } as Mutation;
    expect(decodeMutationResults('=,=', [mutation, mutation])).toEqual(
      Array.from({ length: 2 }, () => ({ status: 'created', state: 'waiting', dueAtMs: 1_700_000_000_000 })),
    );
  });

  it.each(['', 'zw1', 'c', 'cz', '='])('refuses %j, which is no answer to such a mutation', (reply) => {
    expect(() => decodeMutationResults(reply, [schedule('a')])).toThrow(TypeError);
  });
});

describe('splitMutations', () => {
  it('makes calls of at most 500 mutations, in order', () => {
    const mutations = Array.from({ length: 1_201 }, (_, index) => schedule(String(index)));
    const calls = splitMutations(mutations);
    expect(calls.map((call) => call.length)).toEqual([500, 500, 201]);
    expect(calls.flat()).toEqual(mutations);
  });

  it('makes calls of at most 1 MiB of envelopes, counted in UTF-8', () => {
    const half = 'é'.repeat(262_144);
    expect(splitMutations(['a', 'b', 'c'].map((id) => schedule(id, half))).map((call) => call.length)).toEqual([2, 1]);
    const more = `${half}!`;
    expect(splitMutations(['a', 'b'].map((id) => schedule(id, more))).map((call) => call.length)).toEqual([1, 1]);
  });

  it('sends an envelope above the limit alone rather than never', () => {
    const huge = 'x'.repeat(2_000_000);
    expect(splitMutations([schedule('a'), schedule('b', huge), schedule('c')])).toHaveLength(3);
  });

  it('makes no call of nothing', () => {
    expect(splitMutations([])).toEqual([]);
  });
});
