import { beforeEach, describe, expect, it } from '@jest/globals';
import { newRun } from './run.spec-support.js';
import { eventOfAnswer, type PendingSettle, SettleBuffer } from './settle-buffer.js';

function pending(id: string, { maybeApplied = false } = {}): PendingSettle {
  const run = newRun({ id, fence: 7, deliveries: 2, failures: 1 });
  return {
    run,
    settle: { kind: 'release', id, fence: 7 },
    event: { kind: 'released', type: run.type, id, deliveries: 2, failures: 1, dueAtMs: run.dueAtMs },
    maybeApplied,
  };
}

describe('SettleBuffer', () => {
  let buffer: SettleBuffer;

  const idsOf = (batch: readonly PendingSettle[]): readonly string[] => batch.map(({ run }) => run.id);

  beforeEach(() => {
    buffer = new SettleBuffer();
    for (const id of ['a', 'b', 'c']) buffer.add(pending(id));
  });

  it('gives the oldest away first, at most as many as asked for, and each once', () => {
    expect(idsOf(buffer.take(2))).toEqual(['a', 'b']);
    expect(idsOf(buffer.take(2))).toEqual(['c']);
    expect(buffer.take(2)).toEqual([]);
  });

  it.each([3, 4])('gives away everything when %d are asked for', (limit) => {
    expect(idsOf(buffer.take(limit))).toEqual(['a', 'b', 'c']);
    expect(buffer.take(limit)).toEqual([]);
  });

  it('counts an outcome until the store has answered it', () => {
    expect(buffer.size).toBe(3);
    const batch = buffer.take(2);
    expect(buffer.size).toBe(3);
    buffer.answered(batch);
    expect(buffer.size).toBe(1);
    buffer.answered(buffer.take(2));
    expect(buffer.size).toBe(0);
  });

  it('sends again first what was not answered, before what came meanwhile', () => {
    const batch = buffer.take(2);
    buffer.add(pending('d'));
    buffer.putBack(batch, false);
    expect(buffer.size).toBe(4);
    expect(idsOf(buffer.take(10))).toEqual(['a', 'b', 'c', 'd']);
  });

  it('remembers for ever that an outcome may have been applied', () => {
    buffer.putBack(buffer.take(1), true);
    buffer.putBack(buffer.take(2), false);
    expect(buffer.take(3).map(({ maybeApplied }) => maybeApplied)).toEqual([true, false, false]);
  });
});

describe('eventOfAnswer', () => {
  it('is the event of the outcome when it was applied, whether or not it was sent twice', () => {
    for (const maybeApplied of [false, true]) {
      const settle = pending('a', { maybeApplied });
      expect(eventOfAnswer(settle, 'applied')).toBe(settle.event);
    }
    expect(eventOfAnswer({ ...pending('a'), event: null }, 'applied')).toBeNull();
  });

  it.each(['gone', 'stale'] as const)('C11 says that the lease was lost when the answer is %s', (code) => {
    const { run } = pending('a');
    const { type, dueAtMs } = run;
    const about = { type, id: 'a', deliveries: 2, failures: 1, dueAtMs };
    expect(eventOfAnswer(pending('a'), code)).toEqual({ kind: 'lease lost', ...about });
  });

  it.each(['gone', 'stale'] as const)('does not say so of %s when an earlier sending may have been applied', (code) => {
    expect(eventOfAnswer(pending('a', { maybeApplied: true }), code)).toMatchObject({
      kind: 'settle unknown',
      id: 'a',
    });
  });
});
