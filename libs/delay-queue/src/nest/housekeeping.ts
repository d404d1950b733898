import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../core/clock.js';
import { DeadLetterTrimmer } from './dead-letter-trimmer.js';
import { IntervalRegistryFinder } from './interval-registry.js';
import { RegularJob } from './regular-job.js';
import { HOUSEKEEPING_EVERY_MS, QUEUE_CLOCK, QUEUE_NAME } from './tokens.js';

/** Does the regular work that is not urgent, under `delay-queue:<queue>:trim`: see {@link RegularJob}. */
@Injectable()
export class Housekeeping {
  private job: RegularJob | null = null;

  constructor(
    private readonly trimmer: DeadLetterTrimmer,
    private readonly registries: IntervalRegistryFinder,
    @Inject(QUEUE_CLOCK) private readonly clock: Clock,
    @Inject(HOUSEKEEPING_EVERY_MS) private readonly everyMs: number,
    @Inject(QUEUE_NAME) private readonly queueName: string,
  ) {}

  /** Begins, for types that this process has handlers for. */
  start(types: readonly string[]): void {
    if (types.length === 0) return;
    const { clock, everyMs, queueName, registries, trimmer } = this;
    const name = `delay-queue:${queueName}:trim`;
    this.job = new RegularJob({ name, everyMs, run: () => trimmer.pass(types), clock, registry: registries.find() });
    this.job.start();
  }

  /** Ends for good. */
  stop(): void {
    this.trimmer.stop();
    this.job?.stop();
  }
}
