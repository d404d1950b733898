import { setImmediate } from 'node:timers';
import { type Clock, type ClockTimer, MAX_TIMER_MS } from './clock.js';
import { InvalidArgumentError } from './errors.js';

interface VirtualTimer {
  readonly atMs: number;
  readonly callback: () => void;
}

/** Turns of the event loop that one step may take: enough for a chain of settled promises and `setImmediate`s. */
const SETTLE_TURNS = 5;

/**
 * A clock that stands still until it is told to advance.
 *
 * Timers fire in the order of their due time; between two of them pending promises get to run, so that what a timer
 * starts can set the next timer.
 */
export class VirtualClock implements Clock {
  /** In the order in which they were set. */
  private readonly timers = new Set<VirtualTimer>();
  private currentMs: number;
  private readonly startMs: number;

  /** @param startMs where the clock begins, in milliseconds since the epoch. @default 2025-01-01T00:00:00Z */
  constructor(startMs: number = Date.UTC(2025, 0, 1)) {
    this.currentMs = startMs;
    this.startMs = startMs;
  }

  nowMs(): number {
    return this.currentMs;
  }

  monotonicMs(): number {
    return this.currentMs - this.startMs;
  }

  setTimer(callback: () => void, delayMs: number): ClockTimer {
    const boundedMs = Math.min(Math.max(0, delayMs), MAX_TIMER_MS);
    const timer: VirtualTimer = { atMs: this.currentMs + boundedMs, callback };
    this.timers.add(timer);
    return { cancel: () => void this.timers.delete(timer) };
  }

  /** Number of timers that have been set and not yet fired or cancelled. */
  get pendingTimers(): number {
    return this.timers.size;
  }

  /**
   * Moves the time forward without firing timers, as a blocked event loop or a stopped process sees it.
   *
   * @throws InvalidArgumentError when `byMs` is not a finite, non-negative number.
   */
  jumpMs(byMs: number): void {
    assertForward(byMs);
    this.currentMs += byMs;
  }

  /**
   * Moves the time forward by `byMs`, firing every timer that falls due on the way, in order. Rejects with what a timer's
   * callback throws, and stays at its time.
   *
   * @throws InvalidArgumentError when `byMs` is not a finite, non-negative number.
   */
  async advanceMs(byMs: number): Promise<void> {
    await this.move(byMs, settle);
  }

  /**
   * Does what {@link advanceMs} does, with a notion of its own of when things have come to rest.
   *
   * @param rest awaited after every timer, and before the first and after the last one.
   */
  protected async move(byMs: number, rest: (after: 'timer' | 'move') => Promise<void>): Promise<void> {
    assertForward(byMs);
    const untilMs = this.currentMs + byMs;
    await rest('move');
    while (this.fireNext(untilMs)) await rest('timer');
    // A jump, or another advance, may have gone further meanwhile.
    this.currentMs = Math.max(this.currentMs, untilMs);
    await rest('move');
  }

  /** Goes to the next timer and fires it; false when none is due by `untilMs`. */
  protected fireNext(untilMs: number): boolean {
    const timer = this.earliest(untilMs);
    if (timer === undefined) return false;
    this.timers.delete(timer);
    this.currentMs = Math.max(this.currentMs, timer.atMs);
    timer.callback();
    return true;
  }

  /** The next timer that is due by `untilMs`; of several with one time, the one that was set first. */
  private earliest(untilMs: number): VirtualTimer | undefined {
    let found: VirtualTimer | undefined;
    for (const timer of this.timers) {
      if (timer.atMs <= untilMs && (found === undefined || timer.atMs < found.atMs)) found = timer;
    }
    return found;
  }
}

function assertForward(byMs: number): void {
  if (Number.isFinite(byMs) && byMs >= 0) return;
  throw new InvalidArgumentError('byMs', `must be finite and not negative, got ${byMs}: time only goes forward`);
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < SETTLE_TURNS; turn++) {
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}
