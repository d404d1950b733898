import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { VirtualClock } from '../core/virtual-clock.js';
import type { PartitionSignal } from '../ports/wakeup.js';
import { ArmWatch } from './arm-watch.js';

const REF = { type: 't', partition: 0 };

describe('ArmWatch', () => {
  let clock: VirtualClock;
  /** What the watch has asked of its lane, and when. */
  let asked: string[];
  let lane: { isIdle: boolean };
  let holderSeen: number;
  let watch: ArmWatch;

  function newWatch({ reliable = false } = {}): ArmWatch {
    return new ArmWatch({
      clock,
      holder: 'me',
      reliable,
      host: {
        claim: ({ force }) => void asked.push(`${force ? 'force' : 'claim'} at ${clock.monotonicMs()}`),
        holderLives: () => void holderSeen++,
        get isIdle() {
          return lane.isIdle;
        },
        signal: (kind) => void asked.push(kind),
      },
    });
  }

  const hear = (kind: PartitionSignal['kind'], holder: string | null): void =>
    watch.heard({ kind, ref: REF, holder } as PartitionSignal);

  /** Fixes the random part of every delay. */
  const chance = (value: number): void => void jest.spyOn(Math, 'random').mockReturnValue(value);

  beforeEach(() => {
    clock = new VirtualClock();
    asked = [];
    lane = { isIdle: true };
    holderSeen = 0;
    watch = newWatch();
    chance(0.5);
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  describe('when it asks after the holder', () => {
    it('pings, and looks for itself when nobody answers within half a second', async () => {
      watch.askHolder();
      expect(asked).toEqual(['ping']);
      await clock.advanceMs(499);
      expect(asked).toEqual(['ping']);
      await clock.advanceMs(1);
      expect(asked).toEqual(['ping', 'force at 500']);
    });

    it('rests for 4 to 5 s when the holder answers', async () => {
      watch.askHolder();
      await clock.advanceMs(100);
      hear('beat', 'other');
      await clock.advanceMs(4_499);
      expect(asked).toEqual(['ping']);
      await clock.advanceMs(1);
      expect(asked).toEqual(['ping', 'force at 4600']);
    });

    it('asks nobody when it holds the arm itself, when signals cannot get lost, and when it is closed', () => {
      watch.learned(true);
      watch.askHolder();
      newWatch({ reliable: true }).askHolder();
      watch = newWatch();
      watch.close();
      watch.askHolder();
      expect(asked).toEqual([]);
      expect(clock.pendingTimers).toBe(0);
    });
  });

  describe('C09 silence', () => {
    it.each([
      [0, 4_000],
      [0.999, 4_999],
    ])('ends in a look of its own, at a time that chance %d puts at %d ms', async (value, expectedMs) => {
      chance(value);
      hear('beat', 'other');
      await clock.advanceMs(10_000);
      expect(asked[0]).toBe(`force at ${expectedMs}`);
    });

    it('begins anew with every beat of another', async () => {
      for (let beat = 0; beat < 10; beat++) {
        hear('beat', 'other');
        await clock.advanceMs(2_500);
      }
      expect(asked).toEqual([]);
      await clock.advanceMs(2_000);
      expect(asked).toEqual(['force at 27000']);
    });

    it('is not ended by a beat of its own', async () => {
      hear('beat', 'other');
      await clock.advanceMs(4_000);
      hear('beat', 'me');
      await clock.advanceMs(500);
      expect(asked).toEqual(['force at 4500']);
    });

    it('is listened for again after each look', async () => {
      hear('beat', 'other');
      await clock.advanceMs(9_000);
      expect(asked).toEqual(['force at 4500', 'force at 9000']);
    });

    it('tells its lane that nothing need be taken from a holder that is heard again', () => {
      hear('beat', 'me');
      expect(holderSeen).toBe(0);
      hear('beat', 'other');
      expect(holderSeen).toBe(1);
    });

    it('is not listened for by the holder, and is from the moment on when it loses the arm', async () => {
      hear('beat', 'other');
      watch.learned(true);
      expect(clock.pendingTimers).toBe(0);
      await clock.advanceMs(10_000);
      watch.learned(false);
      await clock.advanceMs(4_500);
      expect(asked).toEqual(['force at 14500']);
    });

    it('goes on when a reply says again that another holds the arm', async () => {
      hear('beat', 'other');
      await clock.advanceMs(4_000);
      watch.learned(false);
      await clock.advanceMs(500);
      expect(asked).toEqual(['force at 4500']);
    });

    it('means nothing when signals cannot get lost', async () => {
      watch = newWatch({ reliable: true });
      watch.learned(true);
      watch.learned(false);
      hear('beat', 'other');
      expect(clock.pendingTimers).toBe(0);
      await clock.advanceMs(10_000);
      expect(asked).toEqual([]);
    });
  });

  describe('the arm', () => {
    it('is held by whom the last reply named', () => {
      expect(watch.armed).toBe(false);
      watch.learned(true);
      expect(watch.armed).toBe(true);
      watch.learned(false);
      expect(watch.armed).toBe(false);
    });

    it('is held by another whose beat is heard', () => {
      watch.learned(true);
      hear('beat', 'me');
      expect(watch.armed).toBe(true);
      hear('beat', 'other');
      expect(watch.armed).toBe(false);
    });

    it('makes its holder answer a ping of another with a beat, and nobody do anything else', async () => {
      hear('ping', 'other');
      expect(asked).toEqual([]);
      watch.learned(true);
      hear('ping', 'me');
      expect(asked).toEqual([]);
      hear('ping', 'other');
      await clock.advanceMs(1_000);
      expect(asked).toEqual(['beat']);
    });
  });

  describe('a wake', () => {
    it('for itself is followed at once', () => {
      hear('wake', 'me');
      expect(asked).toEqual(['claim at 0']);
    });

    it('for another does not concern it', async () => {
      hear('wake', 'other');
      expect(clock.pendingTimers).toBe(0);
      await clock.advanceMs(1_000);
      expect(asked).toEqual([]);
    });

    it.each([
      [0, 0],
      [0.5, 100],
      [0.9, 180],
    ])('for everyone is followed after a part of 200 ms: chance %d, %d ms', async (value, expectedMs) => {
      chance(value);
      hear('wake', null);
      expect(asked).toEqual([]);
      await clock.advanceMs(1_000);
      expect(asked).toEqual([`claim at ${expectedMs}`]);
    });

    it('for everyone is followed once, however often it is heard, and again when it comes later', async () => {
      hear('wake', null);
      hear('wake', null);
      await clock.advanceMs(1_000);
      hear('wake', null);
      await clock.advanceMs(1_000);
      expect(asked).toEqual(['claim at 100', 'claim at 1100']);
    });

    it('for everyone is left to the one whose beat is heard first', async () => {
      hear('wake', null);
      hear('beat', 'other');
      await clock.advanceMs(1_000);
      expect(asked).toEqual([]);
      hear('wake', null);
      await clock.advanceMs(1_000);
      expect(asked).toEqual(['claim at 1100']);
    });

    it('for everyone is followed at once, and once, when signals cannot get lost', async () => {
      watch = newWatch({ reliable: true });
      hear('wake', null);
      expect(asked).toEqual(['claim at 0']);
      await clock.advanceMs(1_000);
      expect(asked).toEqual(['claim at 0']);
    });
  });

  describe('C55 a call for help', () => {
    it.each([
      [0, 0],
      [0.5, 10],
      [0.9, 18],
    ])('is followed by an idle lane after a part of 20 ms: chance %d, %d ms', async (value, expectedMs) => {
      chance(value);
      hear('help', 'other');
      expect(asked).toEqual([]);
      await clock.advanceMs(1_000);
      expect(asked).toEqual([`claim at ${expectedMs}`]);
    });

    it('is followed once, and again when it comes later', async () => {
      hear('help', 'other');
      hear('help', 'other');
      await clock.advanceMs(1_000);
      hear('help', 'other');
      await clock.advanceMs(1_000);
      expect(asked).toEqual(['claim at 10', 'claim at 1010']);
    });

    it('is not followed by who called, nor by a lane that has work, at first or when the time has come', async () => {
      hear('help', 'me');
      lane.isIdle = false;
      hear('help', 'other');
      expect(clock.pendingTimers).toBe(0);
      lane.isIdle = true;
      hear('help', 'other');
      lane.isIdle = false;
      await clock.advanceMs(1_000);
      expect(asked).toEqual([]);
    });

    it('is void when calm is heard, and a later one is not', async () => {
      hear('help', 'other');
      hear('calm', 'other');
      await clock.advanceMs(1_000);
      expect(asked).toEqual([]);
      hear('help', 'other');
      await clock.advanceMs(1_000);
      expect(asked).toEqual(['claim at 1010']);
    });
  });

  it('has no timer left once it is closed, and follows nothing', async () => {
    hear('beat', 'other');
    hear('wake', null);
    hear('help', 'other');
    expect(clock.pendingTimers).toBe(3);
    watch.close();
    expect(clock.pendingTimers).toBe(0);
    watch.learned(true);
    watch.learned(false);
    for (const kind of ['wake', 'beat', 'help', 'ping'] as const) hear(kind, 'other');
    hear('wake', 'me');
    hear('wake', null);
    expect(clock.pendingTimers).toBe(0);
    await clock.advanceMs(10_000);
    expect(asked).toEqual([]);
  });
});
