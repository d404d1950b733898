import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compareUtf8 } from '../core/text.js';
import { type EntryRange, TimingWheel } from './timing-wheel.js';
import type { WheelEntry } from './wheel-bucket.js';

const NOW_MS = Date.UTC(2025, 0, 1);
const DAY_MS = 86_400_000;
const YEAR_MS = 365.25 * DAY_MS;

type OrderedTimes = Pick<TimingWheel, 'size' | 'set' | 'delete' | 'timeOf' | 'earliestMs' | 'first' | 'countUpTo'>;

/** The plainest thing that gives the same answers: an array that is sorted again after every change. */
class SortedArrayModel implements OrderedTimes {
  private entries: { readonly id: string; readonly timeMs: number }[] = [];

  get size(): number {
    return this.entries.length;
  }

  set(id: string, timeMs: number): void {
    this.delete(id);
    this.entries.push({ id, timeMs });
    this.entries.sort((a, b) => a.timeMs - b.timeMs || compareUtf8(a.id, b.id));
  }

  delete(id: string): boolean {
    const before = this.entries.length;
    this.entries = this.entries.filter((entry) => entry.id !== id);
    return this.entries.length < before;
  }

  timeOf(id: string): number | undefined {
    return this.entries.find((entry) => entry.id === id)?.timeMs;
  }

  earliestMs(): number | null {
    return this.entries[0]?.timeMs ?? null;
  }

  first({ limit, untilMs = Infinity, offset = 0 }: EntryRange): readonly WheelEntry[] {
    return this.entries.filter(({ timeMs }) => timeMs <= untilMs).slice(offset, offset + limit);
  }

  countUpTo(untilMs: number): number {
    return this.first({ limit: Infinity, untilMs }).length;
  }
}

const idArb = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 60 }).map((n) => `id-${n}`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('\uffff', '\u{1F600}', 'é', 'e\u0301', '__proto__', 'constructor', '\0', ' '),
  },
);

const timeArb = fc.oneof(
  // Few distinct times, so that many entries share one.
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 3 }).map((n) => NOW_MS + n) },
  { weight: 4, arbitrary: fc.integer({ min: -2_000, max: 2_000 }).map((n) => NOW_MS + n) },
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 100 * YEAR_MS }).map((n) => NOW_MS + n) },
  { weight: 1, arbitrary: fc.constantFrom(0, 1, 31, 32, 2 ** 31 - 1, 2 ** 31, 2 ** 32, Number.MAX_SAFE_INTEGER) },
);

const stepArb = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('set' as const), id: idArb, timeMs: timeArb }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('delete' as const), id: idArb }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('take' as const),
      limit: fc.integer({ min: 1, max: 40 }),
      untilMs: fc.oneof(timeArb, fc.constant(Infinity)),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('look' as const),
      limit: fc.integer({ min: 0, max: 40 }),
      offset: fc.integer({ min: 0, max: 40 }),
      untilMs: fc.oneof(timeArb, fc.constant(Infinity)),
    }),
  },
);

type Step = typeof stepArb extends fc.Arbitrary<infer Value> ? Value : never;

/** Carries out a step, and tells all that can be seen of it. */
function answersTo(times: OrderedTimes, step: Step): readonly unknown[] {
  const { size } = times;
  const earliestMs = times.earliestMs();
  switch (step.kind) {
    case 'set':
      times.set(step.id, step.timeMs);
      return [size, earliestMs, times.timeOf(step.id)];
    case 'delete':
      return [size, earliestMs, times.delete(step.id), times.timeOf(step.id)];
    case 'take': {
      const taken = times.first(step);
      for (const { id } of taken) times.delete(id);
      return [size, earliestMs, plain(taken)];
    }
    case 'look':
      return [size, earliestMs, plain(times.first(step)), times.countUpTo(step.untilMs)];
    default:
      return step satisfies never;
  }
}

function plain(entries: readonly WheelEntry[]): readonly WheelEntry[] {
  return entries.map(({ id, timeMs }) => ({ id, timeMs }));
}

describe('TimingWheel', () => {
  it('answers as a sorted array does, whatever is added, moved, removed and taken', () => {
    fc.assert(
      fc.property(fc.array(stepArb, { maxLength: 200, size: 'max' }), (steps) => {
        const wheel = new TimingWheel();
        const model = new SortedArrayModel();
        expect(steps.map((step) => answersTo(wheel, step))).toEqual(steps.map((step) => answersTo(model, step)));
        expect(plain(wheel.first({ limit: Infinity }))).toEqual(model.first({ limit: Infinity }));
      }),
      { numRuns: 200, seed: 1987 },
    );
  });

  it('is empty at first', () => {
    const wheel = new TimingWheel();
    expect(wheel.earliestMs()).toBeNull();
    expect(wheel.first({ limit: 10 })).toEqual([]);
    expect(wheel.countUpTo(Infinity)).toBe(0);
    expect(wheel.timeOf('nobody')).toBeUndefined();
  });

  it('orders equal times by the UTF-8 bytes of the ids, not by UTF-16 units', () => {
    const wheel = new TimingWheel();
    for (const id of ['\u{1F600}', '\uffff', 'b', 'a', 'B']) wheel.set(id, NOW_MS);
    expect(wheel.first({ limit: 10 }).map(({ id }) => id)).toEqual(['B', 'a', 'b', '\uffff', '\u{1F600}']);
  });

  it('gives the first hundred of many at one instant and leaves the rest in place', () => {
    const wheel = new TimingWheel();
    const ids = Array.from({ length: 20_000 }, (_, index) => `task-${String(index).padStart(5, '0')}`);
    for (const id of ids.toReversed()) wheel.set(id, NOW_MS);
    const taken: string[] = [];
    for (let page = wheel.first({ limit: 100, untilMs: NOW_MS }); page.length > 0;) {
      for (const { id } of page) {
        wheel.delete(id);
        taken.push(id);
      }
      expect(wheel.size).toBe(ids.length - taken.length);
      page = wheel.first({ limit: 100, untilMs: NOW_MS });
    }
    expect(taken).toEqual(ids);
  });

  it('finds what is due after a jump of many years without walking there', () => {
    const wheel = new TimingWheel();
    wheel.set('soon', NOW_MS + 1);
    wheel.set('late', NOW_MS + 100 * YEAR_MS);
    expect(wheel.earliestMs()).toBe(NOW_MS + 1);
    const due = wheel.first({ limit: 10, untilMs: NOW_MS + 100 * YEAR_MS });
    expect(due.map(({ id }) => id)).toEqual(['soon', 'late']);
  });

  it('C16 gives what is added later and due earlier first', () => {
    const wheel = new TimingWheel();
    for (const [id, delayMs] of [
      ['6 h', 21_600_000],
      ['60 s', 60_000],
      ['1 s', 1_000],
    ] as const) {
      wheel.set(id, NOW_MS + delayMs);
      expect(wheel.earliestMs()).toBe(NOW_MS + delayMs);
    }
    expect(wheel.first({ limit: 10 }).map(({ id }) => id)).toEqual(['1 s', '60 s', '6 h']);
  });

  it('takes times before those that it has looked at, as after a step back of the clock', () => {
    const wheel = new TimingWheel();
    for (let n = 0; n < 100; n++) wheel.set(`ahead-${n}`, NOW_MS + n);
    expect(wheel.first({ limit: 200, untilMs: NOW_MS + 100 })).toHaveLength(100);
    wheel.set('behind', NOW_MS - 10 * DAY_MS);
    expect(wheel.earliestMs()).toBe(NOW_MS - 10 * DAY_MS);
    expect(wheel.first({ limit: 200, untilMs: NOW_MS - DAY_MS }).map(({ id }) => id)).toEqual(['behind']);
  });

  it.each([-1, 0.5, Number.NaN, Infinity, 2 ** 53])('refuses the time %p', (timeMs) => {
    const wheel = new TimingWheel();
    expect(() => wheel.set('a', timeMs)).toThrow(RangeError);
    expect(wheel.size).toBe(0);
  });
});
