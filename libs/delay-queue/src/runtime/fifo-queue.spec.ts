import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FifoQueue } from './fifo-queue.js';

interface Item {
  readonly n: number;
}

describe('FifoQueue', () => {
  it('gives and keeps what an array would', () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('push' as const), count: fc.nat(3_000) }),
      fc.record({ kind: fc.constant('take' as const), count: fc.nat(2_000) }),
      fc.record({ kind: fc.constant('remove' as const), count: fc.integer({ min: 2, max: 7 }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const queue = new FifoQueue<Item>();
        let model: Item[] = [];
        let next = 0;
        for (const { kind, count } of steps) {
          if (kind === 'push') {
            const items = Array.from({ length: count }, () => ({ n: next++ }));
            for (const item of items) queue.push(item);
            model.push(...items);
          } else if (kind === 'take') {
            expect(queue.take(count)).toEqual(model.splice(0, count));
          } else {
            const isMeant = ({ n }: Item): boolean => n % count === 0;
            expect(queue.remove(isMeant)).toEqual(model.filter(isMeant));
            model = model.filter((item) => !isMeant(item));
          }
          expect(queue).toHaveLength(model.length);
          expect([queue.peek(), queue.peek(model.length - 1), queue.peek(model.length)]).toEqual([
            model[0],
            model.at(-1),
            undefined,
          ]);
        }
      }),
      { numRuns: 100 },
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
