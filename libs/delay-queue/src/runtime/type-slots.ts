/**
 * The places in which handlers of one type run in this process, shared by the type's lanes.
 *
 * A claim reserves places before it is sent, so that two lanes cannot claim for the same one.
 */
export class TypeSlots {
  private used = 0;
  private readonly listeners = new Set<() => void>();

  constructor(readonly size: number) {}

  get free(): number {
    return this.size - this.used;
  }

  /** Takes up to `wanted` places and tells how many. */
  reserve(wanted: number): number {
    const taken = Math.max(0, Math.min(wanted, this.free));
    this.used += taken;
    return taken;
  }

  /** Gives places back. */
  release(count: number): void {
    if (count === 0) return;
    this.used -= count;
    for (const listener of this.listeners) listener();
  }

  /** Calls back whenever a place has become free. */
  onRelease(listener: () => void): void {
    this.listeners.add(listener);
  }
}
