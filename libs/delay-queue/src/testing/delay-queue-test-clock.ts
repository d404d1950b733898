import { clearTimeout, setImmediate, setTimeout } from 'node:timers';
import { type Duration, parseDurationMs } from '../core/duration.js';
import { InvalidArgumentError } from '../core/errors.js';
import { VirtualClock } from '../core/virtual-clock.js';
import { HandlersStillRunError } from './handlers-still-run-error.js';
import { QueueWatch, type RunningHandler } from './queue-watch.js';

/** Settings of a {@link DelayQueueTestClock}. */
export interface TestClockOptions {
  /** Where the clock begins. @default the present */
  readonly startAt?: Date;
  /** Real time that is given to running handlers, counted anew whenever one of them ends. @default '2s' */
  readonly patience?: Duration;
}

/** How the clock is to be moved. */
export interface AdvanceOptions {
  /**
   * `false` lets the time go on while handlers run: for those that wait for the clock themselves.
   *
   * @default true
   */
  readonly waitForHandlers?: boolean;
}

/** Turns of the event loop in which nothing happens any more, after which all that something has led to is through. */
const QUIET_TURNS = 5;

/**
 * The clock of queues under test: it stands still until it is told to advance, and what is due runs at its very time.
 *
 * It only goes on when everything that it has set off has come to rest, handlers that wait for a database or a network
 * included: the queues themselves say when that is. When the application closes, it goes on by itself as far as needed.
 */
export class DelayQueueTestClock extends VirtualClock {
  private readonly patienceMs: number;
  private readonly watches = new Set<QueueWatch>();
  /** Counts everything that begins or ends. */
  private changes = 0;
  private onChange: (() => void)[] = [];
  private readonly stops = new Set<Promise<void>>();
  private runsFree = false;

  /** @throws InvalidArgumentError naming the option. */
  constructor({ startAt = new Date(), patience = '2s' }: TestClockOptions = {}) {
    super(readTime(startAt, 'startAt'));
    this.patienceMs = parseDurationMs(patience, 'patience');
  }

  /** The time on this clock. */
  now(): Date {
    return new Date(this.nowMs());
  }

  /**
   * Moves the time forward and runs what falls due on the way, each task at its own time, retries included.
   *
   * Resolves when the handlers that were started have ended. What is due at the present is run too, so `advance(0)` waits
   * for it.
   *
   * @throws InvalidArgumentError when it is not a duration.
   * @throws HandlersStillRunError when handlers do not end; the clock stays at the time of their start.
   * @example
   * await clock.advance('30m');
   */
  async advance(by: Duration, options: AdvanceOptions = {}): Promise<void> {
    const byMs = parseDurationMs(by, 'by');
    await this.move(byMs, async (after) => {
      if (after === 'move') await this.seeRows();
      await this.rest(after === 'timer' ? 1 : QUIET_TURNS, options);
    });
  }

  /**
   * Moves the time forward to a point in time, as {@link advance} does.
   *
   * @throws InvalidArgumentError when it is no date, or has passed.
   */
  async advanceTo(time: Date, options: AdvanceOptions = {}): Promise<void> {
    const byMs = readTime(time, 'time') - this.nowMs();
    if (byMs < 0) throw new InvalidArgumentError('time', `has passed: the clock is at ${this.now().toISOString()}`);
    await this.advance(byMs, options);
  }

  override async advanceMs(byMs: number): Promise<void> {
    await this.advance(byMs);
  }

  /** Begins to wait for what a queue does. */
  watch(): QueueWatch {
    const watch = new QueueWatch(this, {
      changed: () => this.changed(),
      stopping: (stopped) => this.runUntil(stopped),
    });
    this.watches.add(watch);
    return watch;
  }

  /** Brings tasks to the store that committed transactions have written to a ledger. */
  async seeRows(): Promise<void> {
    for (const watch of this.watches) await watch.seeRows({ again: true });
  }

  private get isAtLedger(): boolean {
    for (const watch of this.watches) if (watch.isAtLedger) return true;
    return false;
  }

  private get isCalling(): boolean {
    for (const watch of this.watches) if (watch.isCalling) return true;
    return false;
  }

  private get isHandling(): boolean {
    for (const watch of this.watches) if (watch.isHandling) return true;
    return false;
  }

  private get handling(): readonly RunningHandler[] {
    return [...this.watches].flatMap((watch) => watch.handling);
  }

  private changed(): void {
    this.changes++;
    const waiting = this.onChange;
    this.onChange = [];
    for (const resolve of waiting) resolve();
  }

  /** Resolves when nothing has happened for so many turns of the event loop; for more, once something has. */
  private async rest(quietTurns: number, { waitForHandlers = true }: AdvanceOptions): Promise<void> {
    let changes = this.changes;
    let wanted = quietTurns;
    for (let quiet = 0; quiet < wanted;) {
      await this.ledgerAnswers();
      if (waitForHandlers) await this.handlersEnd();
      // Handlers have ended, and with them their transactions.
      for (const watch of this.watches) await watch.seeRows({ again: false });
      await nextTurn();
      if (!this.isCalling && !this.isAtLedger && this.changes === changes) {
        quiet++;
        continue;
      }
      changes = this.changes;
      wanted = QUIET_TURNS;
      quiet = 0;
    }
  }

  /** The ledger has a time limit of its own, in real time. */
  private async ledgerAnswers(): Promise<void> {
    while (this.isAtLedger) await new Promise<void>((resolve) => this.onChange.push(resolve));
  }

  private async handlersEnd(): Promise<void> {
    while (this.isHandling) {
      if (!(await this.changeWithin(this.patienceMs))) throw HandlersStillRunError.of(this.handling, this.patienceMs);
    }
  }

  /** Waits in real time, for what handlers wait for is real; false when nothing has happened. */
  private changeWithin(patienceMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), patienceMs);
      this.onChange.push(() => {
        clearTimeout(timer);
        resolve(true);
      });
    });
  }

  /** A stop has time limits on this clock, which nobody moves any more. */
  private runUntil(stopped: Promise<void>): void {
    this.stops.add(stopped);
    void stopped.finally(() => this.stops.delete(stopped));
    if (!this.runsFree) void this.runFree();
  }

  private async runFree(): Promise<void> {
    this.runsFree = true;
    let waitForHandlers = true;
    while (this.stops.size > 0) {
      try {
        await this.rest(QUIET_TURNS, { waitForHandlers });
      } catch (error) {
        if (!(error instanceof HandlersStillRunError)) throw error;
        // They had their time. From now on the stop goes its own way with them: it aborts, and then gives up.
        waitForHandlers = false;
      }
      if (this.stops.size > 0) this.fireNext(Infinity);
    }
    this.runsFree = false;
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function readTime(time: unknown, field: string): number {
  const timeMs = time instanceof Date ? time.getTime() : Number.NaN;
  if (!Number.isFinite(timeMs)) throw new InvalidArgumentError(field, 'must be a valid Date');
  return timeMs;
}
