/** How long a condition may take, and what it means, for the error text. */
export interface WaitOptions {
  /** @default 20000 */
  readonly deadlineMs?: number;
  /** Completes the sentence "Waited 20000 ms for …". */
  readonly what: string;
}

/** Against hanging only: a busy machine may take long over what takes milliseconds elsewhere. */
const DEADLINE_MS = 20_000;

/** Short enough not to add to a test's time, long enough to leave the event loop to the code under test. */
const POLL_INTERVAL_MS = 5;

/**
 * Polls until a condition holds, and returns what it returned.
 *
 * @param condition holds when its result, awaited, is truthy; an error it throws ends the wait.
 * @throws Error that names what was waited for, when the deadline has passed.
 */
export async function waitFor<T>(condition: () => T | Promise<T>, options: WaitOptions): Promise<T> {
  const { deadlineMs = DEADLINE_MS, what } = options;
  const startedAt = performance.now();
  for (;;) {
    const result = await condition();
    if (result) return result;
    if (performance.now() - startedAt > deadlineMs) throw new Error(`Waited ${deadlineMs} ms for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
  }
}
