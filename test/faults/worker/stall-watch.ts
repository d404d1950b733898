import type { WorkerRecord } from './worker-record.js';

/** How often the event loop is looked at. */
const INTERVAL_MS = 50;

/** Longer than a busy machine delays a timer for without there being anything to tell. */
const STALL_MS = 300;

/**
 * Writes down when this process could not run: a lease that is lost meanwhile is explained by it.
 *
 * It does not keep the process alive.
 */
export function watchForStalls(record: WorkerRecord): void {
  let lastMs = Date.now();
  setInterval(() => {
    const nowMs = Date.now();
    if (nowMs - lastMs > STALL_MS) record.add({ at: 'stall', what: 'stalled machine', fromMs: lastMs, toMs: nowMs });
    lastMs = nowMs;
  }, INTERVAL_MS).unref();
}
