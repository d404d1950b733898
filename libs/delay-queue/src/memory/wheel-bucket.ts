import { compareUtf8 } from '../core/text.js';

/** An id and the time it stands at, in whole milliseconds since the epoch. */
export interface WheelEntry {
  readonly id: string;
  readonly timeMs: number;
}

/** An entry that knows its position in the bucket that holds it, so that it can be removed without a search. */
export interface PlacedEntry extends WheelEntry {
  position: number;
}

/** Position of an entry that is in no bucket. */
export const NOWHERE = -1;

/** The order of everything that is kept by time: earliest first, ties by the UTF-8 bytes of the id. */
export function compareEntries(left: WheelEntry, right: WheelEntry): number {
  return left.timeMs - right.timeMs || compareUtf8(left.id, right.id);
}

/** What one page of entries is: those after the first `skip`, at most `limit`, none later than `untilMs`. */
export interface EntryPage {
  skip: number;
  readonly limit: number;
  readonly untilMs: number;
  readonly found: WheelEntry[];
}

/** An order may hold this many removed entries before it is made anew, however few entries are left. */
const STALE_ALLOWANCE = 32;

/**
 * The entries of one slot of a wheel, unordered until somebody asks for the order.
 *
 * The order is kept and mended, because a single millisecond may hold hundreds of thousands of entries that are taken a
 * hundred at a time: removed entries stay in it until they are passed over, added ones are put in their place.
 */
export class WheelBucket {
  private readonly entries: PlacedEntry[] = [];
  private order: PlacedEntry[] | null = null;
  /** Everything in `order` before this position has been removed. */
  private head = 0;

  /** @param instant every entry has the same time: the slot is a single millisecond. */
  constructor(private readonly instant: boolean) {}

  get size(): number {
    return this.entries.length;
  }

  all(): readonly PlacedEntry[] {
    return this.entries;
  }

  insert(entry: PlacedEntry): void {
    entry.position = this.entries.push(entry) - 1;
    const order = this.mendableOrder();
    order?.splice(this.placeOf(entry, order), 0, entry);
  }

  remove(entry: PlacedEntry): void {
    const last = this.entries.pop();
    if (last !== undefined && last !== entry) {
      this.entries[entry.position] = last;
      last.position = entry.position;
    }
    entry.position = NOWHERE;
  }

  earliestMs(): number {
    let earliest = this.entries[0]?.timeMs ?? Infinity;
    if (this.instant) return earliest;
    for (const { timeMs } of this.entries) earliest = Math.min(earliest, timeMs);
    return earliest;
  }

  countUpTo(untilMs: number): number {
    if (this.instant) return this.earliestMs() <= untilMs ? this.size : 0;
    let count = 0;
    for (const { timeMs } of this.entries) if (timeMs <= untilMs) count++;
    return count;
  }

  /** Adds to a page; false when the page is full or its end has been passed. */
  collect(page: EntryPage): boolean {
    const order = this.inOrder();
    for (let index = this.head; index < order.length; index++) {
      const entry = order[index];
      if (entry === undefined || this.isStale(entry)) continue;
      if (page.found.length >= page.limit || entry.timeMs > page.untilMs) return false;
      if (page.skip > 0) page.skip--;
      else page.found.push(entry);
    }
    return true;
  }

  private inOrder(): readonly PlacedEntry[] {
    let order = this.mendableOrder();
    if (order === null) {
      order = [...this.entries].sort(compareEntries);
      this.order = order;
      this.head = 0;
    }
    for (let first = order[this.head]; first !== undefined && this.isStale(first); first = order[this.head]) {
      this.head++;
    }
    return order;
  }

  /** The order as it is, or null when there is none or when it consists mostly of removed entries. */
  private mendableOrder(): PlacedEntry[] | null {
    if (this.order !== null && this.order.length - this.head > 2 * this.size + STALE_ALLOWANCE) this.order = null;
    return this.order;
  }

  /** By identity: an id that was removed and put back is a new entry beside the stale one. */
  private isStale(entry: PlacedEntry): boolean {
    return this.entries[entry.position] !== entry;
  }

  private placeOf(entry: PlacedEntry, order: readonly PlacedEntry[]): number {
    let low = this.head;
    let high = order.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = order[middle];
      if (other !== undefined && compareEntries(other, entry) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
