/** Where handlers wait until a test lets them go on. */
export class Gate {
  private readonly waiting = new Map<string, Set<() => void>>();

  /** Resolves when the task is let go, or its signal is aborted. */
  pass(id: string, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const waiters = this.waiting.get(id) ?? new Set();
      this.waiting.set(id, waiters.add(resolve));
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  /** Lets go those that wait for this task now. */
  letGo(id: string): void {
    for (const resolve of this.waiting.get(id) ?? []) resolve();
    this.waiting.delete(id);
  }
}
