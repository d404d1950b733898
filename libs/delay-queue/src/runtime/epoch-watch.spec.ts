import { beforeEach, describe, expect, it } from '@jest/globals';
import type { QueueEvent } from '../ports/queue-event.js';
import { EpochWatch } from './epoch-watch.js';

const REF = { type: 'order_timeout', partition: 0 };

describe('EpochWatch', () => {
  let events: QueueEvent[];
  let lost: number;
  let watch: EpochWatch;

  beforeEach(() => {
    events = [];
    lost = 0;
    watch = new EpochWatch({
      ref: REF,
      observer: { notify: (event) => events.push(event) },
      logger: { log: () => undefined, warn: () => undefined, error: () => undefined },
      onEpochLost: () => lost++,
    });
  });

  const present = (nowUs: number, lastFence: number, fenceBefore = lastFence): void =>
    watch.check({ epoch: 'present', lastFence, fenceBefore, nowUs });

  it('says nothing of fences that rise', () => {
    present(1, 10);
    present(2, 20, 10);
    present(3, 20);
    expect([events.length, lost]).toEqual([0, 0]);
  });

  it('C45 sees that the fence has gone back', () => {
    present(1, 10);
    present(2, 7);
    expect(events).toEqual([{ kind: 'partition lost', ...REF, how: 'rolled back' }]);
    expect(lost).toBe(1);
  });

  it('C45 sees it also in the answer to a claim, which has drawn a higher fence itself', () => {
    present(1, 10);
    present(2, 30, 7);
    expect(events).toEqual([{ kind: 'partition lost', ...REF, how: 'rolled back' }]);
    present(3, 30);
    expect(events).toHaveLength(1);
  });

  it('takes no older answer for a newer one', () => {
    present(5, 20);
    present(4, 10);
    expect(events).toEqual([]);
  });

  it('tells of an absent fence once, and asks for an epoch each time', () => {
    for (const nowUs of [1, 2, 3]) watch.check({ epoch: 'absent', lastFence: 0, nowUs });
    expect([events.length, lost]).toEqual([1, 3]);
    present(4, 10);
    watch.check({ epoch: 'absent', lastFence: 0, nowUs: 5 });
    expect([events.length, lost]).toEqual([2, 4]);
  });
});
