/**
 * Keeps calls for one task in the order in which they were made, when one of them cannot be sent at once.
 *
 * Only what waits is kept here: as long as every call can be sent at once, this costs nothing.
 */
export class CallOrder {
  private readonly lastWaiting = new Map<string, Promise<unknown>>();

  /** No call waits. */
  get isIdle(): boolean {
    return this.lastWaiting.size === 0;
  }

  /**
   * Sends a call, at once if it can be.
   *
   * @param task names the task among all others.
   * @param after what the call waits for; when that rejects, the call is not sent and rejects with the same error.
   */
  send<Answer>(task: string, after: Promise<void> | null, call: () => Promise<Answer>): Promise<Answer> {
    const earlier = this.lastWaiting.get(task);
    if (earlier === undefined && after === null) return call();
    // Wrapped, so that the next call waits until this one is sent, and not until it is answered.
    const sent = this.whenReady(earlier, after).then(() => ({ answer: call() }));
    this.keep(task, sent);
    return sent.then(({ answer }) => answer);
  }

  private async whenReady(earlier: Promise<unknown> | undefined, after: Promise<void> | null): Promise<void> {
    // Both, also when the second rejects first: the next call waits for this one only.
    await Promise.allSettled([earlier, after]);
    await after;
  }

  private keep(task: string, sent: Promise<unknown>): void {
    const waiting: Promise<void> = sent.then(
      () => this.forget(task, waiting),
      () => this.forget(task, waiting),
    );
    this.lastWaiting.set(task, waiting);
  }

  private forget(task: string, waiting: Promise<unknown>): void {
    if (this.lastWaiting.get(task) === waiting) this.lastWaiting.delete(task);
  }
}
