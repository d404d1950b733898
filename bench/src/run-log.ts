import { type BenchPayload, taskIndexOf } from './bench-task.js';
import { quantile } from './statistics.js';
import { WallClock } from './wall-clock.js';

/** How late handlers started, in milliseconds. */
export interface LatenessReport {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** Handlers that started before the due time. */
  readonly early: number;
}

/** What one process ran. */
export interface RunReport {
  /** Runs by number of the task. */
  readonly runs: Uint8Array;
  /** When the first and the last of the measured tasks started, in milliseconds since the epoch; 0 when none did. */
  readonly firstAtMs: number;
  readonly lastAtMs: number;
  /** Of the measured tasks; `null` when none ran. */
  readonly lateness: LatenessReport | null;
}

/** Most runs of one task that are told apart. */
const MAX_RUNS = 255;

/** Notes every run of a handler in one process. */
export class RunLog {
  private readonly clock = new WallClock();
  private readonly runs: Uint8Array;
  private readonly latenessMs: Float64Array;
  private total = 0;
  private early = 0;
  private firstAtMs = 0;
  private lastAtMs = 0;

  /**
   * @param tasks numbers of tasks are below this.
   * @param measuredFrom tasks with a lower number only warm up.
   */
  constructor(
    tasks: number,
    private readonly measuredFrom: number,
  ) {
    this.runs = new Uint8Array(tasks);
    this.latenessMs = new Float64Array(tasks).fill(Number.NaN);
  }

  /** Runs so far, repeated ones included. */
  get count(): number {
    return this.total;
  }

  /** A handler has started. */
  add({ orderId, dueAtMs }: BenchPayload): void {
    const index = taskIndexOf(orderId);
    const runs = this.runs[index];
    if (runs === undefined) throw new RangeError(`a task that nobody scheduled was run: '${orderId}'`);
    this.runs[index] = Math.min(MAX_RUNS, runs + 1);
    this.total++;
    if (index >= this.measuredFrom) this.measure(index, dueAtMs);
  }

  /** What was noted. */
  report(): RunReport {
    const { runs, firstAtMs, lastAtMs } = this;
    return { runs, firstAtMs, lastAtMs, lateness: this.latenessReport() };
  }

  private measure(index: number, dueAtMs: number): void {
    const nowMs = this.clock.nowMs();
    if (this.firstAtMs === 0) this.firstAtMs = nowMs;
    this.lastAtMs = nowMs;
    this.latenessMs[index] = nowMs - dueAtMs;
    // Due times are whole milliseconds, and so the system's time in whole milliseconds decides without any error.
    if (nowMs - dueAtMs < 1 && Date.now() < dueAtMs) this.early++;
  }

  private latenessReport(): LatenessReport | null {
    const values = this.latenessMs.filter((value) => !Number.isNaN(value));
    if (values.length === 0) return null;
    const at = (share: number): number => quantile(values, share);
    return { p50: at(0.5), p99: at(0.99), max: at(1), early: this.early };
  }
}
