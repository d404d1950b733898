/** So many places may stand empty in front before the items move up. */
const MAX_EMPTY_PLACES = 1_024;

/**
 * Items in the order in which they came.
 *
 * Taking from the front empties places and moves a mark; the items behind it move up when the empty places outnumber them.
 */
export class FifoQueue<Item extends object> {
  private places: (Item | undefined)[] = [];
  private head = 0;

  get length(): number {
    return this.places.length - this.head;
  }

  push(item: Item): void {
    this.places.push(item);
  }

  /** The item at this place, counted from the front; it stays. */
  peek(place = 0): Item | undefined {
    return this.places[this.head + place];
  }

  /** Takes the first `count` items, or all when there are fewer. */
  take(count: number): readonly Item[] {
    const taken: Item[] = [];
    const end = Math.min(this.places.length, this.head + count);
    for (; this.head < end; this.head++) {
      taken.push(this.places[this.head] as Item);
      // What was taken must not be kept alive from here.
      this.places[this.head] = undefined;
    }
    this.moveUp();
    return taken;
  }

  /** Takes all items that are meant, wherever they stand. */
  remove(isMeant: (item: Item) => boolean): readonly Item[] {
    const items = this.places.slice(this.head) as Item[];
    const removed = items.filter(isMeant);
    if (removed.length === 0) return removed;
    this.places = items.filter((item) => !isMeant(item));
    this.head = 0;
    return removed;
  }

  private moveUp(): void {
    if (this.length > 0 && (this.head < MAX_EMPTY_PLACES || this.head < this.length)) return;
    this.places = this.places.slice(this.head);
    this.head = 0;
  }
}
