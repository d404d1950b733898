import { groupBy } from './group-by.js';

/** Something bad that happened to one worker process, or to all of them. */
export interface Fault {
  /** A few words for the table: `SIGKILL`, `server restarted`. */
  readonly what: string;
  /** Label of the process whose deliveries it can have disturbed, `all`, or `none` when it excuses nothing. */
  readonly on: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/** What was injected in a scenario, and when. */
export class FaultLog {
  private readonly faults: Fault[] = [];

  add(fault: Fault): void {
    this.faults.push(fault);
  }

  /** Runs an injection and notes how long it lasted. */
  async during<T>(what: string, on: string, body: () => T | Promise<T>): Promise<T> {
    const fromMs = Date.now();
    try {
      return await body();
    } finally {
      this.add({ what, on, fromMs, toMs: Date.now() });
    }
  }

  /** What was injected, with the number of times: `SIGKILL ×3`. */
  summary(): readonly string[] {
    return [...groupBy(this.faults, ({ what }) => what)].map(([what, each]) => withCount(what, each.length));
  }

  /** The last fault that can have disturbed this process within this time, or undefined. */
  find(process: string, fromMs: number, toMs: number): Fault | undefined {
    return this.faults.findLast(
      (fault) => (fault.on === 'all' || fault.on === process) && fault.fromMs <= toMs && fault.toMs >= fromMs,
    );
  }
}

/** Writes how often something happened: `SIGKILL ×3`. */
export function withCount(what: string, count: number): string {
  return count === 1 ? what : `${what} ×${count}`;
}
