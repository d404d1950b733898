import { Inject, Injectable } from '@nestjs/common';
import type { Clock, ClockTimer } from '../core/clock.js';
import { DelayQueueRuntime, type RuntimeLedger } from '../runtime/delay-queue-runtime.js';
import { IntervalRegistryFinder } from './interval-registry.js';
import { RegularJob } from './regular-job.js';
import { QUEUE_CLOCK, QUEUE_LEDGER, QUEUE_NAME } from './tokens.js';

/** Share of the period by which a sweep comes later, so that processes do not come together. */
const JITTER = 0.1;

/** Sweeps the ledger soon after the boot, and then regularly; does nothing in a queue without one. */
@Injectable()
export class LedgerHousekeeping {
  private job: RegularJob | null = null;
  private waiting: ClockTimer | null = null;
  private sweeping = false;

  constructor(
    @Inject(QUEUE_NAME) private readonly queueName: string,
    private readonly runtime: DelayQueueRuntime,
    private readonly registries: IntervalRegistryFinder,
    @Inject(QUEUE_CLOCK) private readonly clock: Clock,
    @Inject(QUEUE_LEDGER) private readonly ledger: RuntimeLedger | null,
  ) {}

  start(): void {
    if (this.ledger === null) return;
    const everyMs = this.ledger.options.sweepEveryMs;
    const run = (): Promise<void> => Promise.resolve(this.sweepSoon(everyMs * JITTER));
    const { clock } = this;
    const name = `delay-queue:${this.queueName}:ledger-sweep`;
    this.job = new RegularJob({ name, everyMs, run, clock, registry: this.registries.find() });
    this.job.start();
    this.sweepSoon(everyMs * JITTER);
  }

  stop(): void {
    this.job?.stop();
    this.waiting?.cancel();
  }

  private sweepSoon(withinMs: number): void {
    this.waiting?.cancel();
    this.waiting = this.clock.setTimer(() => void this.sweep(), withinMs * Math.random());
  }

  private async sweep(): Promise<void> {
    if (this.sweeping) return;
    this.sweeping = true;
    try {
      await this.runtime.books?.sweep();
    } finally {
      this.sweeping = false;
    }
  }
}
