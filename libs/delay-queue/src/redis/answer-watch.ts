/**
 * Notices a connection on which calls go out and nothing comes back.
 *
 * A peer that vanished without closing leaves a connection that looks sound; only silence gives it away.
 */
export class AnswerWatch {
  private unanswered = 0;
  private silentSinceMs = 0;

  /**
   * @param maxSilenceMs how long answers may be missing.
   * @param nowMs a monotonic clock.
   */
  constructor(
    private readonly maxSilenceMs: number,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** A call was sent. */
  sent(): void {
    if (this.unanswered === 0) this.silentSinceMs = this.nowMs();
    this.unanswered += 1;
  }

  /** A call was answered by the server. */
  answered(): void {
    this.unanswered -= 1;
    this.silentSinceMs = this.nowMs();
  }

  /** A call ended without an answer, with its connection. */
  lost(): void {
    this.unanswered -= 1;
  }

  /** No call waits for an answer. */
  get isIdle(): boolean {
    return this.unanswered === 0;
  }

  /** Tells whether calls are waiting and nothing at all has been answered for too long. */
  isDeaf(): boolean {
    return this.unanswered > 0 && this.nowMs() - this.silentSinceMs >= this.maxSilenceMs;
  }
}
