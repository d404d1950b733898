import type { ClaimedTask } from '../ports/turn.js';
import { Run } from './run.js';

/** A run of a task that was claimed for the first time, apart from what a test sets. */
export function newRun({ leasedAtMs = 0, ...claimed }: Partial<ClaimedTask> & { leasedAtMs?: number } = {}): Run {
  return new Run({
    type: 't',
    claimed: {
      id: 'a',
      envelope: '',
      fence: 1,
      deliveries: 1,
      failures: 0,
      lostLeases: 0,
      redrives: 0,
      dueAtMs: Date.UTC(2025, 0, 1),
      ...claimed,
    },
    envelope: { payload: null, life: 'm5d4ruo0abc123', overrides: {}, headers: {}, ledgerRow: null },
    maxRetries: 3,
    leasedAtMs,
  });
}
