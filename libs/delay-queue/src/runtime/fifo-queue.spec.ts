import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FifoQueue } from './fifo-queue.js';

interface Item {
  readonly n: number;
}

/** What is done to a queue, and to an array that should show the same. */
type Step =
  | { readonly kind: 'push'; readonly items: readonly Item[] }
  | { readonly kind: 'take'; readonly count: number }
  | { readonly kind: 'remove'; readonly divisor: number };

const isMultipleOf =
  (divisor: number) =>
  ({ n }: Item): boolean =>
    n % divisor === 0;

/** Does a step, and returns what it gave. */
function doToQueue(queue: FifoQueue<Item>, step: Step): readonly Item[] {
  switch (step.kind) {
    case 'push':
      for (const item of step.items) queue.push(item);
      return [];
    case 'take':
      return queue.take(step.count);
    case 'remove':
      return queue.remove(isMultipleOf(step.divisor));
    default:
      return step satisfies never;
  }
}

function doToArray(array: Item[], step: Step): readonly Item[] {
  switch (step.kind) {
    case 'push':
      array.push(...step.items);
      return [];
    case 'take':
      return array.splice(0, step.count);
    case 'remove': {
      const isMeant = isMultipleOf(step.divisor);
      const removed = array.filter(isMeant);
      array.splice(0, array.length, ...array.filter((item) => !isMeant(item)));
      return removed;
    }
    default:
      return step satisfies never;
  }
}

describe('FifoQueue', () => {
  it('gives and keeps what an array would', () => {
    const items = fc.nat(3_000).map((count) => Array.from({ length: count }, (_, n) => ({ n })));
    const step: fc.Arbitrary<Step> = fc.oneof(
      fc.record({ kind: fc.constant('push' as const), items }),
      fc.record({ kind: fc.constant('take' as const), count: fc.nat(2_000) }),
      fc.record({ kind: fc.constant('remove' as const), divisor: fc.integer({ min: 2, max: 7 }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 15 }), (steps) => {
        const queue = new FifoQueue<Item>();
        const array: Item[] = [];
        for (const each of steps) {
          expect(doToQueue(queue, each)).toEqual(doToArray(array, each));
          expect(queue).toHaveLength(array.length);
          expect([queue.peek(), queue.peek(array.length)]).toEqual([array[0], undefined]);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('lets go of what was taken, and of the places', () => {
    const queue = new FifoQueue<Item>();
    queue.push({ n: -1 });
    for (let n = 0; n < 100_000; n++) {
      queue.push({ n });
      queue.take(1);
    }
    const { places } = queue as unknown as { readonly places: readonly (Item | undefined)[] };
    expect(places.filter((place) => place !== undefined)).toEqual([{ n: 99_999 }]);
    expect(places.length).toBeLessThan(2_000);
  });
});
