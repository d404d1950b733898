import { WheelLevel } from './wheel-level.js';
import { NOWHERE, type PlacedEntry, type WheelEntry } from './wheel-bucket.js';

/** Levels of the hierarchy: 32^11 is above 2^53, so that every whole number of milliseconds has its place. */
const LEVELS = 11;

/** Which entries {@link TimingWheel.first} gives. */
export interface EntryRange {
  /** At most this many. */
  readonly limit: number;
  /** None later than this. @default no bound */
  readonly untilMs?: number;
  /** Entries to pass over first. @default 0 */
  readonly offset?: number;
}

/**
 * Ids in the order of a time, ties by the UTF-8 bytes of the id: what a sorted set is to Redis.
 *
 * It is a hierarchical timing wheel after Varghese and Lauck, "Hashed and hierarchical timing wheels" (SOSP 1987,
 * scheme 7): wheels of slots, each slot of a coarse wheel as long as a whole turn of the next finer one. An entry goes
 * into the slot of the coarsest wheel that its time falls into, and moves on to finer wheels only when that slot comes
 * first. Adding and removing therefore cost the same however many entries there are, and an entry moves at most once
 * per level.
 *
 * Unlike the original it has no hand that ticks: a slot is refined when its entries are asked for and not when a clock
 * reaches it. So a jump of years passes over nothing, times in the past are times like any other, and the clock may
 * step back. It sets no timers.
 */
export class TimingWheel {
  private readonly entries = new Map<string, PlacedEntry>();
  private readonly top = new WheelLevel(LEVELS - 1);

  get size(): number {
    return this.entries.size;
  }

  /** The time an id stands at, or undefined when it is not here. */
  timeOf(id: string): number | undefined {
    return this.entries.get(id)?.timeMs;
  }

  has(id: string): boolean {
    return this.entries.has(id);
  }

  /**
   * Adds an id, or moves it when it is here already.
   *
   * @param timeMs whole milliseconds since the epoch.
   * @throws RangeError when the time is negative, not whole, or above 2^53 - 1.
   */
  set(id: string, timeMs: number): void {
    if (!Number.isSafeInteger(timeMs) || timeMs < 0) {
      throw new RangeError(`A time must be a whole, non-negative number of milliseconds, got ${timeMs}.`);
    }
    this.delete(id);
    const entry = { id, timeMs, position: NOWHERE };
    this.entries.set(id, entry);
    this.top.insert(entry);
  }

  /** Removes an id; false when it was not here. */
  delete(id: string): boolean {
    const entry = this.entries.get(id);
    if (entry === undefined) return false;
    this.entries.delete(id);
    this.top.remove(entry);
    return true;
  }

  /** The earliest time, or null when the wheel is empty. */
  earliestMs(): number | null {
    return this.size === 0 ? null : this.top.earliestMs();
  }

  /** The first entries in order; they stay where they are. */
  first({ limit, untilMs = Infinity, offset = 0 }: EntryRange): readonly WheelEntry[] {
    const found: WheelEntry[] = [];
    if (limit > 0) this.top.collect({ skip: offset, limit, untilMs, found });
    return found;
  }

  /** How many entries are not later than a time. */
  countUpTo(untilMs: number): number {
    if (untilMs < 0) return 0;
    return this.top.countUpTo(Math.min(untilMs, Number.MAX_SAFE_INTEGER));
  }
}
