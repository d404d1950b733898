import { Inject, Injectable } from '@nestjs/common';
import type { Clock, ClockTimer } from '../core/clock.js';
import { DelayQueueRuntime, type RuntimeLedger } from '../runtime/delay-queue-runtime.js';
import { IntervalRegistryFinder } from './interval-registry.js';
import { RegularJob } from './regular-job.js';
import { QUEUE_CLOCK, QUEUE_LEDGER, QUEUE_NAME } from './tokens.js';

/** Share of the period by which a sweep comes later, so that processes do not come together. */
const JITTER = 0.1;

/** After a pass that has left something the next one comes so soon, whatever the period is: what ends must also go. */
const NEXT_PASS_MS = 10_000;

/** Sweeps the ledger soon after the boot, and then regularly; does nothing in a queue without one. */
@Injectable()
export class LedgerHousekeeping {
  private job: RegularJob | null = null;
  private waiting: ClockTimer | null = null;
  private sweeping = false;
  private stopped = false;

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
    this.stopped = true;
    this.job?.stop();
    this.waiting?.cancel();
  }

  private sweepSoon(withinMs: number): void {
    this.sweepIn(withinMs * Math.random());
  }

  private sweepIn(delayMs: number): void {
    this.waiting?.cancel();
    if (!this.stopped) this.waiting = this.clock.setTimer(() => void this.sweep(), delayMs);
  }

  private async sweep(): Promise<void> {
    if (this.sweeping) return;
    this.sweeping = true;
    try {
      const result = await this.runtime.books?.sweep();
      if (result?.isCut === true) this.sweepIn(NEXT_PASS_MS);
    } finally {
      this.sweeping = false;
    }
  }
}
