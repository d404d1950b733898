import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { VirtualClock } from '../core/virtual-clock.js';
import type { IntervalRegistry } from './interval-registry.js';
import { RegularJob } from './regular-job.js';

class Registry implements IntervalRegistry {
  readonly intervals = new Map<string, NodeJS.Timeout>();

  doesExist(_type: 'interval', name: string): boolean {
    return this.intervals.has(name);
  }

  addInterval(name: string, interval: NodeJS.Timeout): void {
    this.intervals.set(name, interval);
  }

  deleteInterval(name: string): void {
    clearInterval(this.intervals.get(name));
    this.intervals.delete(name);
  }
}

describe('RegularJob', () => {
  const clock = new VirtualClock();
  let runs = 0;
  const run = (): Promise<unknown> => Promise.resolve(runs++);

  beforeEach(() => {
    runs = 0;
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('runs on a timer of its own where there is no registry, until it is stopped', async () => {
    const job = new RegularJob({ name: 'a', everyMs: 1_000, run, clock, registry: undefined });
    job.start();
    await clock.advanceMs(3_500);
    expect(runs).toBe(3);
    job.stop();
    await clock.advanceMs(5_000);
    expect(runs).toBe(3);
  });

  it('is an interval of the registry where there is one', () => {
    jest.useFakeTimers();
    const registry = new Registry();
    const job = new RegularJob({ name: 'a', everyMs: 1_000, run, clock, registry });
    job.start();
    expect([...registry.intervals.keys()]).toEqual(['a']);
    jest.advanceTimersByTime(2_500);
    expect(runs).toBe(2);
    job.stop();
    expect([...registry.intervals.keys()]).toEqual([]);
    jest.advanceTimersByTime(2_500);
    expect(runs).toBe(2);
  });

  it('leaves an interval alone that the application has deleted', () => {
    jest.useFakeTimers();
    const registry = new Registry();
    const job = new RegularJob({ name: 'a', everyMs: 1_000, run, clock, registry });
    job.start();
    registry.deleteInterval('a');
    expect(() => job.stop()).not.toThrow();
  });

  it('runs on a timer where its name is taken', async () => {
    const registry = new Registry();
    registry.intervals.set(
      'a',
      setTimeout(() => undefined, 0),
    );
    const job = new RegularJob({ name: 'a', everyMs: 1_000, run, clock, registry });
    job.start();
    await clock.advanceMs(1_500);
    job.stop();
    expect(runs).toBe(1);
    expect(registry.doesExist('interval', 'a')).toBe(true);
  });
});
