import { type EntryPage, type PlacedEntry, WheelBucket } from './wheel-bucket.js';

/** Slots of one wheel: as many as one 32-bit word can mark as used. */
const SLOTS = 32;

/** A bucket of up to this many entries is searched as it is; only a fuller one is worth a finer wheel. */
const SEARCHED_AS_IT_IS = 16;

/**
 * One wheel of the hierarchy: 32 slots of 32^level milliseconds each.
 *
 * A slot is a bucket at first. When its order must be known and it holds many entries, they move on to a finer wheel
 * that takes its place.
 */
export class WheelLevel {
  private readonly slots: (WheelBucket | WheelLevel | undefined)[] = [];
  private usedSlots = 0;
  private readonly slotMs: number;
  private entryCount = 0;

  /** @param level 0 for the finest wheel, whose slots are single milliseconds. */
  constructor(private readonly level: number) {
    this.slotMs = SLOTS ** level;
  }

  get size(): number {
    return this.entryCount;
  }

  insert(entry: PlacedEntry): void {
    const slot = this.slotOf(entry.timeMs);
    const content = this.slots[slot] ?? this.use(slot);
    content.insert(entry);
    this.entryCount++;
  }

  /** Removes an entry that is known to be in this wheel. */
  remove(entry: PlacedEntry): void {
    const slot = this.slotOf(entry.timeMs);
    const content = this.slots[slot];
    if (content === undefined) return;
    content.remove(entry);
    this.entryCount--;
    if (content.size > 0) return;
    this.slots[slot] = undefined;
    this.usedSlots &= ~(1 << slot);
  }

  /** The earliest time, or Infinity when the wheel is empty. */
  earliestMs(): number {
    if (this.usedSlots === 0) return Infinity;
    return this.lookInto(lowestBit(this.usedSlots)).earliestMs();
  }

  /** Counts the entries that are not later than a time within this wheel, without ordering anything. */
  countUpTo(untilMs: number): number {
    const lastSlot = this.slotOf(untilMs);
    let count = 0;
    for (let rest = this.usedSlots; rest !== 0; rest &= rest - 1) {
      const slot = lowestBit(rest);
      if (slot > lastSlot) break;
      const content = this.slots[slot];
      if (content !== undefined) count += slot < lastSlot ? content.size : content.countUpTo(untilMs);
    }
    return count;
  }

  /** Adds to a page, in order; false when the page is full or its end has been passed. */
  collect(page: EntryPage): boolean {
    for (let rest = this.usedSlots; rest !== 0; rest &= rest - 1) {
      if (page.found.length >= page.limit) return false;
      const slot = lowestBit(rest);
      const size = this.slots[slot]?.size ?? 0;
      if (size <= page.skip) page.skip -= size;
      else if (!this.lookInto(slot).collect(page)) return false;
    }
    return true;
  }

  private slotOf(timeMs: number): number {
    return Math.floor(timeMs / this.slotMs) % SLOTS;
  }

  private use(slot: number): WheelBucket {
    const bucket = new WheelBucket(this.level === 0);
    this.slots[slot] = bucket;
    this.usedSlots |= 1 << slot;
    return bucket;
  }

  private lookInto(slot: number): WheelBucket | WheelLevel {
    const content = this.slots[slot] ?? this.use(slot);
    if (content instanceof WheelLevel || this.level === 0 || content.size <= SEARCHED_AS_IT_IS) return content;
    const finer = new WheelLevel(this.level - 1);
    for (const entry of content.all()) finer.insert(entry);
    this.slots[slot] = finer;
    return finer;
  }
}

function lowestBit(word: number): number {
  return 31 - Math.clz32(word & -word);
}
