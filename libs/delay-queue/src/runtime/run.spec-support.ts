import type { ClaimedTask } from '../ports/turn.js';
import { Run } from './run.js';

/** What a test may set of a run. */
export interface RunParts extends Partial<ClaimedTask> {
  readonly leasedAtMs?: number;
  readonly payload?: unknown;
  readonly version?: number;
}

/** A run of a task that was claimed for the first time, apart from what a test sets. */
export function newRun({ leasedAtMs = 0, payload = null, version = 1, ...claimed }: RunParts = {}): Run {
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
    envelope: {
      payload,
      life: 'm5d4ruo0abc123',
      version,
      overrides: {},
      headers: {},
      ledgerCheck: false,
      ledgerRow: null,
    },
    maxRetries: 3,
    leasedAtMs,
  });
}
