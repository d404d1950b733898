import { beforeEach, describe, expect, it } from '@jest/globals';
import { VirtualClock } from '../core/virtual-clock.js';
import type { ClaimRequest, TurnReply } from '../ports/turn.js';
import { LoadWatch } from './load-watch.js';

const claim = (mayCallForHelp: boolean): ClaimRequest => ({ limit: 1, suspects: 'take', mayCallForHelp });

function reply(overdueLeft: boolean): TurnReply {
  return {
    nowUs: 0,
    settled: [],
    extended: [],
    claimed: [],
    buried: [],
    orphans: [],
    nextAtMs: null,
    overdueLeft,
    paused: false,
    armed: true,
    epoch: 'present',
    lastFence: 1,
    fenceBefore: 1,
  };
}

describe('LoadWatch', () => {
  let clock: VirtualClock;
  let full: boolean;
  let overloadedAt: number[];
  let load: LoadWatch;

  beforeEach(() => {
    clock = new VirtualClock();
    full = false;
    overloadedAt = [];
    load = new LoadWatch({
      clock,
      isFull: () => full,
      onOverloaded: () => overloadedAt.push(clock.monotonicMs()),
    });
  });

  describe('help', () => {
    it('may be called for at the beginning, and 20 ms after the last call', async () => {
      expect(load.mayCallForHelp).toBe(true);
      load.claimed(claim(true), reply(true));
      expect(load.mayCallForHelp).toBe(false);
      await clock.advanceMs(19);
      expect(load.mayCallForHelp).toBe(false);
      await clock.advanceMs(1);
      expect(load.mayCallForHelp).toBe(true);
    });

    it('was not called for when nothing overdue was left, or the claim was not allowed to', () => {
      load.claimed(claim(true), reply(false));
      load.claimed(claim(false), reply(true));
      load.claimed(null, reply(true));
      expect(load.mayCallForHelp).toBe(true);
    });

    it('is followed by calm, once, by the first claim that leaves nothing overdue', () => {
      expect(load.claimed(claim(true), reply(true))).toBe('nothing');
      expect(load.claimed(claim(false), reply(true))).toBe('nothing');
      expect(load.claimed(null, reply(false))).toBe('nothing');
      expect(load.claimed(claim(false), reply(false))).toBe('calm');
      expect(load.claimed(claim(true), reply(false))).toBe('nothing');
    });

    it('that was not called for needs no calm', () => {
      load.claimed(claim(false), reply(true));
      expect(load.claimed(claim(true), reply(false))).toBe('nothing');
    });
  });

  describe('being full', () => {
    it('is overload when it lasts and no handler ends', async () => {
      full = true;
      load.watchFull();
      await clock.advanceMs(4);
      expect(overloadedAt).toEqual([]);
      await clock.advanceMs(100);
      expect(overloadedAt).toEqual([5]);
      expect(clock.pendingTimers).toBe(0);
    });

    it('is none when there is room', () => {
      load.watchFull();
      expect(clock.pendingTimers).toBe(0);
    });

    it('is none when there is room again at the second look', async () => {
      full = true;
      load.watchFull();
      full = false;
      await clock.advanceMs(100);
      expect(overloadedAt).toEqual([]);
      expect(clock.pendingTimers).toBe(0);
    });

    it('is none while handlers end, and becomes it when they stop to', async () => {
      full = true;
      load.watchFull();
      for (let ended = 0; ended < 20; ended++) {
        await clock.advanceMs(3);
        load.handlerEnded();
      }
      expect(overloadedAt).toEqual([]);
      await clock.advanceMs(100);
      expect(overloadedAt).toHaveLength(1);
      expect(overloadedAt[0]).toBeGreaterThanOrEqual(65);
      expect(overloadedAt[0]).toBeLessThanOrEqual(70);
    });

    it('is overload when the last handler has ended 5 ms ago', async () => {
      full = true;
      load.handlerEnded();
      load.watchFull();
      await clock.advanceMs(5);
      expect(overloadedAt).toEqual([5]);
    });

    it('is looked at with one timer, however often it is asked for', () => {
      full = true;
      load.watchFull();
      load.watchFull();
      expect(clock.pendingTimers).toBe(1);
    });

    it('is looked at anew after an overload', async () => {
      full = true;
      load.watchFull();
      await clock.advanceMs(50);
      load.watchFull();
      await clock.advanceMs(50);
      expect(overloadedAt).toEqual([5, 55]);
    });

    it('is not looked at any more once the watch is closed', async () => {
      full = true;
      load.watchFull();
      load.close();
      expect(clock.pendingTimers).toBe(0);
      await clock.advanceMs(100);
      expect(overloadedAt).toEqual([]);
    });
  });
});
