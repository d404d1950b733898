import { beforeEach, describe, expect, it } from '@jest/globals';
import { CallOrder } from './call-order.js';
import { deferred } from './runtime-harness.spec-support.js';

const ended = (call: Promise<unknown>) =>
  call.then(
    () => 'resolved',
    () => 'rejected',
  );

describe('CallOrder', () => {
  let order: CallOrder;
  let sent: string[];

  beforeEach(() => {
    order = new CallOrder();
    sent = [];
  });

  const send = (task: string, name: string, after: Promise<void> | null = null): Promise<string> =>
    order.send(task, after, async () => {
      sent.push(name);
      return name;
    });

  it('sends at once when nothing is to be waited for', async () => {
    const answer = send('t', 'a');
    expect(sent).toEqual(['a']);
    expect(await answer).toBe('a');
  });

  it('C51 holds later calls for the same task behind one that waits, and no others', async () => {
    const check = deferred();
    const calls = [send('t', 'a', check.promise), send('t', 'b'), send('t', 'c'), send('other', 'd')];
    expect(sent).toEqual(['d']);
    check.resolve();
    expect(await Promise.all(calls)).toEqual(['a', 'b', 'c', 'd']);
    expect(sent).toEqual(['d', 'a', 'b', 'c']);
  });

  it('waits until an earlier call is sent, and not until it is answered', async () => {
    const check = deferred();
    const answer = deferred();
    const first = order.send('t', check.promise, () => answer.promise);
    const second = send('t', 'b');
    check.resolve();
    expect(await second).toBe('b');
    answer.resolve();
    await first;
  });

  it('does not send a call whose check rejects, and goes on with the next', async () => {
    const check = deferred();
    const first = send('t', 'a', check.promise);
    const second = send('t', 'b');
    check.reject(new Error('unfit'));
    await expect(first).rejects.toThrow('unfit');
    expect(await second).toBe('b');
    expect(sent).toEqual(['b']);
  });

  it('C51 keeps the order also when a later check ends first, or rejects first', async () => {
    const slow = deferred();
    const unfit = deferred();
    const quick = deferred();
    const calls = [send('t', 'a', slow.promise), send('t', 'b', unfit.promise), send('t', 'c', quick.promise)];
    const outcomes = Promise.all(calls.map(ended));
    unfit.reject(new Error('unfit'));
    quick.resolve();
    await new Promise(setImmediate);
    expect(sent).toEqual([]);
    slow.resolve();
    expect(await outcomes).toEqual(['resolved', 'rejected', 'resolved']);
    expect(sent).toEqual(['a', 'c']);
  });

  it('sends at once again when nobody waits any more', async () => {
    const check = deferred();
    const first = send('t', 'a', check.promise);
    check.resolve();
    await first;
    await new Promise(setImmediate);
    void send('t', 'b');
    expect(sent).toEqual(['a', 'b']);
  });
});
