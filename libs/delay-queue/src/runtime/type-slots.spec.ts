import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { TypeSlots } from './type-slots.js';

describe('TypeSlots', () => {
  it('gives away what is free, and no more', () => {
    const slots = new TypeSlots(3);
    expect([slots.size, slots.free]).toEqual([3, 3]);
    expect(slots.reserve(2)).toBe(2);
    expect(slots.free).toBe(1);
    expect(slots.reserve(5)).toBe(1);
    expect(slots.reserve(1)).toBe(0);
    expect(slots.free).toBe(0);
  });

  it.each([0, -1])('gives nothing to who wants %d', (wanted) => {
    const slots = new TypeSlots(3);
    expect(slots.reserve(wanted)).toBe(0);
    expect(slots.free).toBe(3);
  });

  it('takes back, and tells every listener when the places are free already', () => {
    const slots = new TypeSlots(3);
    slots.reserve(3);
    const seen: string[] = [];
    slots.onRelease(() => seen.push(`a ${slots.free}`));
    slots.onRelease(() => seen.push(`b ${slots.free}`));
    slots.release(2);
    expect(seen).toEqual(['a 2', 'b 2']);
  });

  it('does not bother the listeners with a release of nothing', () => {
    const slots = new TypeSlots(3);
    let told = 0;
    slots.onRelease(() => told++);
    slots.release(0);
    expect(told).toBe(0);
  });

  it('never has more places in use than there are, whoever asks', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), fc.array(fc.integer({ min: -2, max: 25 })), (size, wishes) => {
        const slots = new TypeSlots(size);
        const held: number[] = [];
        return wishes.every((wanted, index) => {
          held.push(slots.reserve(wanted));
          if (index % 3 === 2) slots.release(held.shift() ?? 0);
          const used = held.reduce((sum, count) => sum + count, 0);
          return used <= size && slots.free === size - used;
        });
      }),
    );
  });
});
