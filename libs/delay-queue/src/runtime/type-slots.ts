/** Who reserves places: a lane. */
export interface SlotUser {
  /** It waits for a place, and could claim for one at once. */
  readonly canClaimNow: boolean;
  /** A place has become free, or the type was suspended. */
  placesChanged(): void;
}

/**
 * The places in which handlers of one type run in this process, shared by the type's lanes.
 *
 * A claim reserves places before it is sent, so that two lanes cannot claim for the same one. Lanes that found no place
 * come first when one is free again, in the order in which they asked: without that, a lane whose handler has just ended
 * would take its place again and again, for its outcome is what the next call carries.
 */
export class TypeSlots {
  private used = 0;
  private suspended = false;
  private readonly users: SlotUser[] = [];
  private readonly waiting = new Set<SlotUser>();

  constructor(readonly size: number) {}

  get free(): number {
    return this.suspended ? 0 : this.size - this.used;
  }

  get isSuspended(): boolean {
    return this.suspended;
  }

  /** Lets a lane hear of places that become free. */
  join(user: SlotUser): void {
    this.users.push(user);
  }

  /** Takes up to `wanted` places and tells how many; leaves one to each who waits longer. */
  reserve(wanted: number, user: SlotUser): number {
    if (wanted <= 0) return 0;
    const taken = Math.max(0, Math.min(wanted, this.free - this.countAhead(user)));
    if (taken === 0) this.waiting.add(user);
    else this.waiting.delete(user);
    this.used += taken;
    return taken;
  }

  /** Gives places back. */
  release(count: number): void {
    if (count === 0) return;
    this.used -= count;
    this.tellUsers();
  }

  /** Leaves no place free until {@link resume}, as if all were taken. */
  suspend(): void {
    this.suspended = true;
    this.tellUsers();
  }

  /** Gives the free places back. */
  resume(): void {
    this.suspended = false;
    this.tellUsers();
  }

  /** Those who cannot claim now (their store node is away, say) hold nobody up. */
  private countAhead(user: SlotUser): number {
    let ahead = 0;
    for (const other of this.waiting) {
      if (other === user) break;
      if (other.canClaimNow) ahead++;
    }
    return ahead;
  }

  private tellUsers(): void {
    for (const user of this.users) user.placesChanged();
  }
}
