import type { Clock, ClockTimer } from '../core/clock.js';
import type { ClaimRequest, TurnReply } from '../ports/turn.js';

/** With fast handlers a lane is full for moments all the time: only one that stays so has no room for what falls due. */
const FULL_BEFORE_RESIGN_MS = 5;

/** A lane calls for help at most once in this time. */
const HELP_INTERVAL_MS = 20;

/** What a load watch is made of. */
export interface LoadWatchParts {
  readonly clock: Clock;
  readonly isFull: () => boolean;
  /** The lane is full, and no handler has ended for a while: somebody else should watch the due times. */
  readonly onOverloaded: () => void;
}

/** Notices when a lane has more to do than it can, and when that is over. */
export class LoadWatch {
  private timer: ClockTimer | null = null;
  private lastEndedAtMs = -Infinity;
  private helpCalledAtMs = -Infinity;
  private helpIsOut = false;
  private closed = false;

  constructor(private readonly parts: LoadWatchParts) {}

  get mayCallForHelp(): boolean {
    return this.parts.clock.monotonicMs() - this.helpCalledAtMs >= HELP_INTERVAL_MS;
  }

  handlerEnded(): void {
    this.lastEndedAtMs = this.parts.clock.monotonicMs();
  }

  /** A claim was answered; tells whether the others should be calmed after an earlier call for help. */
  claimed(claim: ClaimRequest | null, reply: TurnReply): 'calm' | 'nothing' {
    if (claim === null) return 'nothing';
    if (reply.overdueLeft && claim.mayCallForHelp) {
      this.helpCalledAtMs = this.parts.clock.monotonicMs();
      this.helpIsOut = true;
    }
    if (reply.overdueLeft || !this.helpIsOut) return 'nothing';
    this.helpIsOut = false;
    return 'calm';
  }

  /** Looks whether the lane is full, and stays full. */
  watchFull(): void {
    if (this.closed || this.timer !== null || !this.parts.isFull()) return;
    this.timer = this.parts.clock.setTimer(() => {
      this.timer = null;
      this.checkFull();
    }, FULL_BEFORE_RESIGN_MS);
  }

  close(): void {
    this.closed = true;
    this.timer?.cancel();
  }

  private checkFull(): void {
    if (!this.parts.isFull()) return;
    const sinceEndedMs = this.parts.clock.monotonicMs() - this.lastEndedAtMs;
    if (sinceEndedMs < FULL_BEFORE_RESIGN_MS) this.watchFull();
    else this.parts.onOverloaded();
  }
}
