import { beforeEach, describe, expect, it } from '@jest/globals';
import { VirtualClock } from '../core/virtual-clock.js';
import { HORIZON_MS, Pace } from './pace.js';

describe('Pace', () => {
  let clock: VirtualClock;
  let pace: Pace;

  beforeEach(() => {
    clock = new VirtualClock();
    pace = new Pace(clock);
  });

  /** Handlers end evenly, and the pace is measured as often as turns come. */
  async function work({ perMs, forMs }: { perMs: number; forMs: number }): Promise<number> {
    let measured = 0;
    for (let ms = 0; ms < forMs; ms++) {
      await clock.advanceMs(1);
      for (let ended = 0; ended < perMs; ended++) pace.handlerEnded();
      measured = pace.measure();
    }
    return measured;
  }

  it('foretells nothing before a handler has ended', async () => {
    await clock.advanceMs(5);
    expect(pace.measure()).toBe(0);
  });

  it('foretells how many handlers end within the horizon, when they have gone on long enough', async () => {
    expect(await work({ perMs: 7, forMs: 10 * HORIZON_MS })).toBeCloseTo(7 * HORIZON_MS, 0);
  });

  it('forgets a fast time within a few horizons of a slow one', async () => {
    await work({ perMs: 20, forMs: 100 });
    expect(await work({ perMs: 0, forMs: 5 * HORIZON_MS })).toBeLessThan(0.01 * 20 * HORIZON_MS);
  });

  it('forgets everything over a quiet time', async () => {
    await work({ perMs: 20, forMs: 100 });
    await clock.advanceMs(60_000);
    expect(pace.measure()).toBe(0);
  });

  it('goes on counting when it is measured twice at one moment', async () => {
    await clock.advanceMs(HORIZON_MS);
    pace.measure();
    pace.handlerEnded();
    pace.measure();
    await clock.advanceMs(HORIZON_MS);
    expect(pace.measure()).toBe(1);
  });
});
