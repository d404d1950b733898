/** Random numbers that come again with the same seed: a linear congruential generator, of which the high bits are used. */
export class SeededRandom {
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
    // Seeds that lie close together begin with numbers that lie close together.
    for (let step = 0; step < 10; step++) this.next();
  }

  /** A number from 0 to just below 1. */
  next(): number {
    this.state = (Math.imul(this.state, 1_664_525) + 1_013_904_223) >>> 0;
    return this.state / 2 ** 32;
  }

  /** A whole number from 0 to `limit`, both included. */
  upTo(limit: number): number {
    return Math.floor(this.next() * (limit + 1));
  }

  /** A whole number from `least` to `most`. */
  between(least: number, most: number): number {
    return least + this.upTo(most - least);
  }

  /** One of the items. */
  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.upTo(items.length - 1)];
    if (item === undefined) throw new Error('there is nothing to pick from');
    return item;
  }
}
