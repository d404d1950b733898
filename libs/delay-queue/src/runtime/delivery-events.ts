import type { QueueEvent } from '../ports/queue-event.js';
import type { Run } from './run.js';

type QueueEventOf<Kind extends QueueEvent['kind']> = Extract<QueueEvent, { kind: Kind }>;

// The two events of every delivery are written out: a spread of what they share takes four times the memory.

/** Tells that a handler starts. */
export function startedEvent(run: Run, latenessMs: number): QueueEventOf<'started'> {
  const { type, id, deliveries, failures, dueAtMs } = run;
  return { kind: 'started', type, id, deliveries, failures, dueAtMs, latenessMs };
}

/** Tells that a task is complete. */
export function completedEvent(run: Run, durationMs: number): QueueEventOf<'completed'> {
  const { type, id, deliveries, failures, dueAtMs } = run;
  return { kind: 'completed', type, id, deliveries, failures, dueAtMs, durationMs };
}

/** Time from the due time of a run to its start, by the store's clock. */
export function latenessOf({ startedAtMs, dueAtMs }: Run, storeOffsetMs: number): number {
  return startedAtMs + storeOffsetMs - dueAtMs;
}
