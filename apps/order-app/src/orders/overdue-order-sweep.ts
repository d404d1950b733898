import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { OrderRecords } from './order-records.js';

const SWEEP_EVERY_MS = 60_000;

/** Long enough that a timeout on its way, retries included, is usually through. */
const GRACE_MS = 5 * 60_000;

const ORDERS_PER_SWEEP = 500;

/**
 * Cancels orders that no timeout has cancelled.
 *
 * A process that dies between committing an order and scheduling its timeout leaves such an order, and so does a queue
 * that has lost its data.
 */
@Injectable()
export class OverdueOrderSweep {
  private readonly logger = new Logger(OverdueOrderSweep.name);

  constructor(private readonly records: OrderRecords) {}

  @Interval('overdue-orders', SWEEP_EVERY_MS)
  async run(): Promise<void> {
    for (const id of await this.findOverdue()) await this.cancel(id);
  }

  private async findOverdue(): Promise<readonly string[]> {
    try {
      return await this.records.findOverdue(new Date(Date.now() - GRACE_MS), ORDERS_PER_SWEEP);
    } catch (error) {
      this.logger.error(`Overdue orders could not be read; the next sweep tries again: ${String(error)}`);
      return [];
    }
  }

  /** One order that cannot be cancelled must not keep the others waiting. */
  private async cancel(id: string): Promise<void> {
    try {
      if (await this.records.cancelUnpaid(id)) this.logger.warn(`Order ${id} had no timeout and is cancelled.`);
    } catch (error) {
      this.logger.error(`Order ${id} could not be cancelled; the next sweep tries again: ${String(error)}`);
    }
  }
}
