import { beforeEach, describe, expect, it } from '@jest/globals';
import { VirtualClock } from '../core/virtual-clock.js';
import { AheadQueue, LOOK_MS } from './ahead-queue.js';
import { newRun } from './run.spec-support.js';

describe('AheadQueue', () => {
  let clock: VirtualClock;
  let slowAt: number[];
  let queue: AheadQueue;

  const CONCURRENCY = 10;

  beforeEach(() => {
    clock = new VirtualClock();
    slowAt = [];
    queue = new AheadQueue({ clock, concurrency: CONCURRENCY, onSlow: () => slowAt.push(clock.monotonicMs()) });
  });

  const add = (id: string): void => queue.add({ run: newRun({ id }), storeOffsetMs: 0, sinceMs: clock.monotonicMs() });

  async function pace({ perMs, forMs = 100 }: { perMs: number; forMs?: number }): Promise<void> {
    for (let ms = 0; ms < forMs; ms++) {
      await clock.advanceMs(1);
      for (let ended = 0; ended < perMs; ended++) queue.handlerEnded();
      void queue.room();
    }
  }

  it('gives the tasks out in the order in which they came', () => {
    for (const id of ['a', 'b', 'c']) add(id);
    expect(queue.shift()?.run.id).toBe('a');
    add('d');
    expect(queue.size).toBe(3);
    expect(queue.takeAll().map(({ run }) => run.id)).toEqual(['b', 'c', 'd']);
    expect([queue.size, queue.shift()]).toEqual([0, null]);
  });

  it('has no room before handlers have ended', () => {
    expect(queue.room()).toBe(0);
  });

  it('has room for three tasks a place at most, however fast the handlers', async () => {
    await pace({ perMs: 100 });
    expect(queue.room()).toBe(3 * CONCURRENCY);
    add('a');
    expect(queue.room()).toBe(3 * CONCURRENCY - 1);
    expect(queue.room(1)).toBe(3 * CONCURRENCY);
  });

  it('has room for what is started within the horizon', async () => {
    await pace({ perMs: 2 });
    expect(queue.room()).toBeGreaterThanOrEqual(19);
    expect(queue.room()).toBeLessThanOrEqual(20);
  });

  it('has no room when a handler takes longer than the horizon', async () => {
    // Ten places and one end in 2 ms: each takes 20 ms.
    for (let ended = 0; ended < 50; ended++) {
      await clock.advanceMs(2);
      queue.handlerEnded();
      void queue.room();
    }
    expect(queue.room()).toBe(0);
  });

  it('is slow when a task is still there at the second look', async () => {
    add('a');
    queue.watch();
    await clock.advanceMs(2 * LOOK_MS - 1);
    expect(slowAt).toEqual([]);
    await clock.advanceMs(1);
    expect(slowAt).toEqual([2 * LOOK_MS]);
  });

  it('is not slow while tasks move on', async () => {
    for (let round = 0; round < 10; round++) {
      add(`a${round}`);
      queue.watch();
      await clock.advanceMs(LOOK_MS);
      queue.shift();
    }
    expect(slowAt).toEqual([]);
  });

  it('holds no timer when it is closed', () => {
    add('a');
    queue.watch();
    queue.close();
    expect(clock.pendingTimers).toBe(0);
  });
});
