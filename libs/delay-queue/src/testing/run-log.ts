import type { Clock } from '../core/clock.js';
import type { QueueEvent } from '../ports/queue-event.js';
import { REASON_RETRIES_USED_UP, type Settle } from '../ports/settle.js';
import type { Run } from '../runtime/run.js';
import { retriesUsedUp } from '../task/retry-policy.js';
import type { TaskRun } from './task-run.js';

/** What an outcome changes in the record of a run. */
type Outcome = Pick<TaskRun, 'outcome'> & Partial<Pick<TaskRun, 'nextDueAt' | 'error' | 'reason'>>;

/** Writes down the runs of handlers, in the order in which they started. */
export class RunLog {
  private readonly records = new Map<Run, TaskRun>();

  constructor(private readonly clock: Clock) {}

  get runs(): readonly TaskRun[] {
    // An older payload is brought up to date when its run has already been written down.
    return [...this.records].map(([run, record]) => ({ ...record, payload: run.payload }) as TaskRun);
  }

  started(run: Run, handler: string): void {
    this.records.set(run, {
      type: run.type,
      id: run.id,
      payload: run.payload,
      handler,
      delivery: run.deliveries,
      dueAt: run.dueAt,
      startedAt: this.now(),
      outcome: 'running',
      endedAt: null,
      nextDueAt: null,
      error: null,
      reason: null,
    } as TaskRun);
  }

  settled(run: Run, settle: Settle, event: QueueEvent | null): void {
    this.close(run, event?.kind === 'skipped' ? { outcome: 'skipped' } : this.outcomeOf(run, settle));
  }

  /** A run that ends without an outcome of its own has lost its lease. */
  ended(run: Run): void {
    if (this.records.get(run)?.outcome === 'running') this.close(run, { outcome: 'lost' });
  }

  private close(run: Run, outcome: Outcome): void {
    const record = this.records.get(run);
    if (record !== undefined) this.records.set(run, { ...record, ...outcome, endedAt: this.now() });
  }

  private outcomeOf(run: Run, settle: Settle): Outcome {
    switch (settle.kind) {
      case 'complete':
        return { outcome: 'completed' };
      case 'retry': {
        const { error, delayMs, maxRetries } = settle;
        if (retriesUsedUp(run.failures, maxRetries))
          return { outcome: 'buried', error, reason: REASON_RETRIES_USED_UP };
        return { outcome: 'retried', error, nextDueAt: this.now(delayMs) };
      }
      case 'snooze':
        return { outcome: 'snoozed', nextDueAt: this.now(settle.delayMs) };
      case 'release':
        return { outcome: 'released' };
      case 'bury':
        return { outcome: 'buried', error: settle.error, reason: settle.reason };
      default:
        return settle satisfies never;
    }
  }

  private now(plusMs = 0): Date {
    return new Date(this.clock.nowMs() + plusMs);
  }
}
