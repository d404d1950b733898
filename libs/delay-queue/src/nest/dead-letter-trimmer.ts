import { Inject, Injectable } from '@nestjs/common';
import type { PartitionRef } from '../core/partition.js';
import { QueueSettings } from '../options/queue-settings.js';
import type { QueueLogger } from '../ports/queue-event.js';
import { DelayQueueRuntime } from '../runtime/delay-queue-runtime.js';
import { errorText } from '../task/error-text.js';
import { QUEUE_LOGGER } from './tokens.js';

/** Most that one trim of the store removes: after a full one there is probably more. */
const FULL_TRIM = 100;

/** Bounds one pass over a partition to 10,000 removals, so that a backlog is worked off over several passes. */
const MAX_TRIMS_PER_PASS = 100;

/** Removes outdated dead letters and done marks. */
@Injectable()
export class DeadLetterTrimmer {
  private passing = false;
  private stopped = false;
  private failing = false;

  constructor(
    private readonly runtime: DelayQueueRuntime,
    private readonly settings: QueueSettings,
    @Inject(QUEUE_LOGGER) private readonly logger: QueueLogger,
  ) {}

  /** Goes once over all partitions of the types; does nothing while the pass before goes on. Never rejects. */
  async pass(types: readonly string[]): Promise<void> {
    if (this.passing || this.stopped) return;
    this.passing = true;
    try {
      for (const type of types) await this.trimType(type);
      this.failing = false;
    } catch (error) {
      this.report(error);
    } finally {
      this.passing = false;
    }
  }

  /** Ends a pass after the call that is under way, and begins no other. */
  stop(): void {
    this.stopped = true;
  }

  private async trimType(type: string): Promise<void> {
    await this.runtime.ready(type);
    const { partitions } = this.settings.forType(type);
    for (let partition = 0; partition < partitions; partition++) await this.trimPartition({ type, partition });
  }

  private async trimPartition(ref: PartitionRef): Promise<void> {
    const { deadKeepMs, deadMaxPerPartition: deadMax } = this.settings.forType(ref.type);
    for (let trims = 0; trims < MAX_TRIMS_PER_PASS && !this.stopped; trims++) {
      const removed = await this.runtime.store.trim(ref, { deadKeepMs, deadMax });
      if (removed < FULL_TRIM) return;
    }
  }

  /** One line for each time that trimming begins to fail; the next pass tries again. */
  private report(error: unknown): void {
    if (this.failing || this.stopped) return;
    this.failing = true;
    this.logger.warn(`Outdated dead letters could not be removed, a later pass will try again: ${errorText(error)}`);
  }
}
