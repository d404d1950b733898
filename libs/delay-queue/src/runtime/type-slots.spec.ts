import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type SlotUser, TypeSlots } from './type-slots.js';

/** A lane that claims whenever it may, and tells when it hears of a free place. */
function user(of: { canClaimNow?: boolean; placesChanged?: () => unknown } = {}): SlotUser {
  return { canClaimNow: of.canClaimNow ?? true, placesChanged: () => void of.placesChanged?.() };
}

describe('TypeSlots', () => {
  const anyone = user();

  it('gives away what is free, and no more', () => {
    const slots = new TypeSlots(3);
    expect([slots.size, slots.free]).toEqual([3, 3]);
    expect(slots.reserve(2, anyone)).toBe(2);
    expect(slots.free).toBe(1);
    expect(slots.reserve(5, anyone)).toBe(1);
    expect(slots.reserve(1, anyone)).toBe(0);
    expect(slots.free).toBe(0);
  });

  it.each([0, -1])('gives nothing to who wants %d', (wanted) => {
    const slots = new TypeSlots(3);
    expect(slots.reserve(wanted, anyone)).toBe(0);
    expect(slots.free).toBe(3);
  });

  it('takes back, and tells every lane when the places are free already', () => {
    const slots = new TypeSlots(3);
    slots.reserve(3, anyone);
    const seen: string[] = [];
    slots.join(user({ placesChanged: () => seen.push(`a ${slots.free}`) }));
    slots.join(user({ placesChanged: () => seen.push(`b ${slots.free}`) }));
    slots.release(2);
    expect(seen).toEqual(['a 2', 'b 2']);
  });

  it('does not bother the lanes with a release of nothing', () => {
    const slots = new TypeSlots(3);
    let told = 0;
    slots.join(user({ placesChanged: () => told++ }));
    slots.release(0);
    expect(told).toBe(0);
  });

  it('never has more places in use than there are, whoever asks', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), fc.array(fc.integer({ min: -2, max: 25 })), (size, wishes) => {
        const slots = new TypeSlots(size);
        const held: number[] = [];
        return wishes.every((wanted, index) => {
          held.push(slots.reserve(wanted, anyone));
          if (index % 3 === 2) slots.release(held.shift() ?? 0);
          const used = held.reduce((sum, count) => sum + count, 0);
          return used <= size && slots.free === size - used;
        });
      }),
    );
  });

  it('leaves a place to each lane that has waited longer', () => {
    const slots = new TypeSlots(1);
    const [busy, waits, waitsToo] = [user(), user(), user()];
    expect(slots.reserve(1, busy)).toBe(1);
    expect([slots.reserve(1, waits), slots.reserve(1, waitsToo)]).toEqual([0, 0]);
    slots.release(1);
    expect(slots.reserve(1, busy)).toBe(0);
    expect(slots.reserve(1, waitsToo)).toBe(0);
    expect(slots.reserve(1, waits)).toBe(1);
    slots.release(1);
    expect(slots.reserve(1, waitsToo)).toBe(1);
    slots.release(1);
    expect(slots.reserve(1, busy)).toBe(1);
  });

  it('keeps no place for a lane that waits but cannot claim now', () => {
    const slots = new TypeSlots(1);
    const cutOff = user({ canClaimNow: false });
    slots.reserve(1, anyone);
    expect(slots.reserve(1, cutOff)).toBe(0);
    slots.release(1);
    expect(slots.reserve(1, anyone)).toBe(1);
  });

  it('has no place while it is suspended, and tells the lanes of both changes', () => {
    const slots = new TypeSlots(3);
    const seen: number[] = [];
    slots.join(user({ placesChanged: () => seen.push(slots.free) }));
    slots.reserve(2, anyone);
    slots.suspend();
    expect([slots.isSuspended, slots.reserve(1, anyone)]).toEqual([true, 0]);
    slots.release(1);
    slots.resume();
    expect([slots.isSuspended, slots.free]).toEqual([false, 2]);
    expect(seen).toEqual([0, 0, 2]);
  });
});
