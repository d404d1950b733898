import type { Clock } from '../core/clock.js';
import type { IntervalRegistry } from './interval-registry.js';

/** Work that is done again and again, and is not urgent. */
export interface RegularJobParts {
  /** Its name in the application's `SchedulerRegistry`. */
  readonly name: string;
  readonly everyMs: number;
  /** Never rejects, and does nothing while its last run goes on. */
  readonly run: () => Promise<unknown>;
  readonly clock: Clock;
  readonly registry: IntervalRegistry | undefined;
}

/** Does regular work as an interval of the application's `SchedulerRegistry` where there is one, else with a timer. */
export class RegularJob {
  private cancel: () => void = () => undefined;

  constructor(private readonly parts: RegularJobParts) {}

  start(): void {
    const { registry, name } = this.parts;
    const taken = registry?.doesExist('interval', name) ?? false;
    if (registry === undefined || taken) this.startTimer();
    else this.startInterval(registry);
  }

  stop(): void {
    this.cancel();
    this.cancel = () => undefined;
  }

  private startInterval(registry: IntervalRegistry): void {
    const { name, everyMs, run } = this.parts;
    const interval = setInterval(() => void run(), everyMs);
    // The process lives for its handlers, not for this.
    interval.unref();
    registry.addInterval(name, interval);
    this.cancel = () => {
      // The application may have deleted it, and deleting it again would throw.
      if (registry.doesExist('interval', name)) registry.deleteInterval(name);
    };
  }

  private startTimer(): void {
    const { clock, everyMs, run } = this.parts;
    const timer = clock.setTimer(() => {
      this.startTimer();
      void run();
    }, everyMs);
    this.cancel = () => timer.cancel();
  }
}
