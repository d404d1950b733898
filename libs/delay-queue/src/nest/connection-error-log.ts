import type { Clock } from '../core/clock.js';
import type { QueueLogger } from '../ports/queue-event.js';

/** A server that is down fails an attempt every second; a line a minute says as much. */
const SAY_AGAIN_AFTER_MS = 60_000;

/** Logs the errors of a connection that heals itself: each text at most once a minute. */
export class ConnectionErrorLog {
  private readonly saidAtMs = new Map<string, number>();

  constructor(
    private readonly clock: Clock,
    private readonly logger: QueueLogger,
  ) {}

  report(error: Error): void {
    const text = describe(error);
    const nowMs = this.clock.monotonicMs();
    const saidAtMs = this.saidAtMs.get(text);
    if (saidAtMs !== undefined && nowMs - saidAtMs < SAY_AGAIN_AFTER_MS) return;
    this.forget(nowMs);
    this.saidAtMs.set(text, nowMs);
    this.logger.warn(`The connection to Redis failed and is made again: ${text}`);
  }

  /** Texts may hold addresses and numbers: those that are old would pile up. */
  private forget(nowMs: number): void {
    for (const [text, saidAtMs] of this.saidAtMs) {
      if (nowMs - saidAtMs >= SAY_AGAIN_AFTER_MS) this.saidAtMs.delete(text);
    }
  }
}

/** When several addresses refuse, Node leaves the text of the error empty and gives a code. */
function describe(error: Error): string {
  if (error.message !== '') return error.message;
  return 'code' in error ? String(error.code) : error.name;
}
