import type { Clock } from '../core/clock.js';
import type { QueueLogger } from '../ports/queue-event.js';
import type { Lane } from './lane.js';
import type { Progress } from './progress.js';
import type { StoreMonitor } from './store-monitor.js';

/** Time that aborted handlers have to end by themselves. */
const ABORT_GRACE_MS = 1_000;

/** Time that is kept for telling the store what became of the last tasks. */
const TELL_MS = 1_000;

/** What a drain works on. */
export interface DrainParts {
  readonly lanes: readonly Lane[];
  readonly clock: Clock;
  readonly progress: Progress;
  readonly monitor: StoreMonitor;
  readonly logger: QueueLogger;
  /** Time for everything. */
  readonly timeoutMs: number;
}

/**
 * Brings lanes to rest: no new tasks, handlers end, then are aborted, what is unfinished is given back.
 *
 * Returns within the time-out whatever the handlers and the store do.
 */
export async function drain(parts: DrainParts): Promise<void> {
  const { lanes, clock, progress, logger, timeoutMs } = parts;
  const deadlineMs = clock.monotonicMs() + timeoutMs;
  const noneRuns = (): boolean => lanes.every((lane) => lane.running === 0);
  for (const lane of lanes) lane.drain();
  if (!(await progress.until(noneRuns, deadlineMs - ABORT_GRACE_MS - TELL_MS))) {
    logger.warn(`${countRunning(lanes)} handlers still run; their signals are aborted.`);
    for (const lane of lanes) lane.abortRuns();
    await progress.until(noneRuns, deadlineMs - TELL_MS);
  }
  const unfinished = countRunning(lanes);
  if (unfinished > 0) logger.warn(`${unfinished} handlers did not end in time; their tasks are given back.`);
  for (const lane of lanes) lane.releaseRuns();
  await progress.until(() => isTold(parts), deadlineMs);
  const untold = lanes.reduce((sum, lane) => sum + lane.close(), 0);
  if (untold > 0) logger.error(`The store did not confirm ${untold} outcomes; these tasks will be delivered again.`);
}

function isTold({ lanes, monitor }: DrainParts): boolean {
  if (lanes.some((lane) => lane.unconfirmed > 0)) return false;
  // With nothing to tell, a store that is away is not waited for: an arm that cannot be given up lapses by itself.
  return monitor.health.down || lanes.every((lane) => !lane.turnInFlight && !lane.armed);
}

function countRunning(lanes: readonly Lane[]): number {
  return lanes.reduce((sum, lane) => sum + lane.running, 0);
}
