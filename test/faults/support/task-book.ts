/**
 * How a task has to end: with its effect made, as a dead letter, in any way after it was delivered, or in any way at all
 * because it may be cancelled.
 */
export type Ending = 'done' | 'dead' | 'any' | 'cancelled';

/** A task whose `schedule` has resolved. */
export interface Booking {
  readonly type: string;
  readonly id: string;
  /** Due time as `schedule` answered it; null when that says nothing about when it may run. */
  readonly dueMs: number | null;
  /** When `schedule` resolved. */
  readonly bookedMs: number;
  readonly ending: Ending;
}

/** Everything that was promised to be run. */
export class TaskBook {
  private readonly entries: Booking[] = [];
  private readonly excuses = new Map<Booking, string>();
  /** Calls of `schedule` that were refused, or not answered, and repeated. */
  refused = 0;

  add(booking: Booking): void {
    this.entries.push(booking);
  }

  get bookings(): readonly Booking[] {
    return this.entries;
  }

  /** Tasks that must have become dead letters. */
  get deaths(): number {
    return this.entries.filter(({ ending }) => ending === 'dead').length;
  }

  /** Why a task may have been lost, or undefined when it must not. */
  excuseOf(booking: Booking): string | undefined {
    return this.excuses.get(booking);
  }

  /** Says that what was injected may have lost the tasks that the condition picks out. */
  excuse(reason: string, picks: (booking: Booking) => boolean): void {
    for (const booking of this.entries) if (picks(booking)) this.excuses.set(booking, reason);
  }
}
