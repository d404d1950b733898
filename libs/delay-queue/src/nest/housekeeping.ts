import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../core/clock.js';
import { DeadLetterTrimmer } from './dead-letter-trimmer.js';
import { type IntervalRegistry, IntervalRegistryFinder } from './interval-registry.js';
import { HOUSEKEEPING_EVERY_MS, QUEUE_CLOCK, QUEUE_NAME } from './tokens.js';

/**
 * Does the regular work that is not urgent, as an interval of the application's `SchedulerRegistry` where there is one,
 * under `delay-queue:<queue>:trim`, else with a timer of its own.
 */
@Injectable()
export class Housekeeping {
  private readonly intervalName: string;
  private cancel: (() => void) | null = null;

  constructor(
    private readonly trimmer: DeadLetterTrimmer,
    private readonly registries: IntervalRegistryFinder,
    @Inject(QUEUE_CLOCK) private readonly clock: Clock,
    @Inject(HOUSEKEEPING_EVERY_MS) private readonly everyMs: number,
    @Inject(QUEUE_NAME) queueName: string,
  ) {
    this.intervalName = `delay-queue:${queueName}:trim`;
  }

  /** Begins, for types that this process has handlers for. */
  start(types: readonly string[]): void {
    if (types.length === 0) return;
    const registry = this.registries.find();
    const taken = registry?.doesExist('interval', this.intervalName) ?? false;
    if (registry === undefined || taken) this.startTimer(types);
    else this.startInterval(registry, types);
  }

  /** Ends for good. */
  stop(): void {
    this.trimmer.stop();
    this.cancel?.();
    this.cancel = null;
  }

  private startInterval(registry: IntervalRegistry, types: readonly string[]): void {
    const interval = setInterval(() => void this.trimmer.pass(types), this.everyMs);
    // The process lives for its handlers, not for this.
    interval.unref();
    registry.addInterval(this.intervalName, interval);
    this.cancel = () => {
      // The application may have deleted it, and deleting it again would throw.
      if (registry.doesExist('interval', this.intervalName)) registry.deleteInterval(this.intervalName);
    };
  }

  private startTimer(types: readonly string[]): void {
    const timer = this.clock.setTimer(() => {
      void this.trimmer.pass(types);
      this.startTimer(types);
    }, this.everyMs);
    this.cancel = () => timer.cancel();
  }
}
