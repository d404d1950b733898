import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../core/clock.js';
import { InvalidArgumentError } from '../core/errors.js';
import { newLedgerRow } from '../core/ids.js';
import { partitionOf } from '../core/partition.js';
import { QueueSettings } from '../options/queue-settings.js';
import type { DueTime } from '../ports/mutation.js';
import type { Bookkeeper } from '../runtime/bookkeeping/bookkeeper.js';
import { DelayQueueRuntime } from '../runtime/delay-queue-runtime.js';
import type { LedgerConnection } from '../task/ledger-connection.js';
import type { CancelResult, RescheduleResult } from './schedule-options.js';
import type { IndexResult, StagedResult } from './staged-result.js';
import { QUEUE_CLOCK } from './tokens.js';

/** A task that is to be written in a transaction. */
export interface StageRequest {
  readonly type: string;
  readonly id: string;
  readonly due: DueTime;
  readonly onDuplicate: 'keep' | 'replace';
  readonly tx: LedgerConnection;
  /** Writes the envelope, given the name of the task's row. */
  readonly envelopeFor: (row: string) => string;
}

/** Schedules, cancels and moves tasks in transactions of the application. */
@Injectable()
export class LedgerScheduling {
  constructor(
    private readonly runtime: DelayQueueRuntime,
    private readonly settings: QueueSettings,
    @Inject(QUEUE_CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws InvalidArgumentError */
  async stage({ envelopeFor, tx, ...task }: StageRequest): Promise<StagedResult> {
    const books = this.booksOf(task.type, task.id);
    const { partitions, dedupeForMs } = this.settings.forType(task.type);
    const row = newLedgerRow(this.clock.nowMs());
    const partition = partitionOf(task.id, partitions);
    const staged = await books.stage({ ...task, row, partition, dedupeForMs, envelope: envelopeFor(row) }, tx);
    return {
      id: task.id,
      status: staged.status,
      state: staged.state,
      dueAt: new Date(staged.dueAtMs),
      index: () => indexOf(books, staged.row),
    };
  }

  /** @throws InvalidArgumentError */
  async cancel(type: string, id: string, tx: LedgerConnection): Promise<CancelResult> {
    const changed = await this.booksOf(type, id).cancel({ type, id }, tx);
    return { status: changed === null ? 'not_found' : 'cancelled', state: 'none' };
  }

  /** @throws InvalidArgumentError */
  async reschedule(
    { type, id }: { readonly type: string; readonly id: string },
    due: DueTime,
    tx: LedgerConnection,
  ): Promise<RescheduleResult> {
    const changed = await this.booksOf(type, id).reschedule({ type, id }, due, tx);
    if (changed === null) return { status: 'not_found', state: 'none', dueAt: null };
    return { status: 'rescheduled', state: 'waiting', dueAt: new Date(changed.dueAtMs) };
  }

  private booksOf(type: string, id: string): Bookkeeper {
    const { books } = this.runtime;
    if (books === null) throw new InvalidArgumentError('tx', 'needs a ledger: set the option `ledger` of the module');
    if (!books.covers(type))
      throw new InvalidArgumentError('tx', `cannot be used for '${type}': \`ledger.types\` lacks it`);
    // PostgreSQL has no way to keep it in a text.
    if (id.includes('\0')) throw new InvalidArgumentError('id', 'must not contain the character NUL in a ledger');
    return books;
  }
}

async function indexOf(books: Bookkeeper, row: string): Promise<IndexResult> {
  const placement = await books.index(row);
  switch (placement) {
    case null:
      return { status: 'not_visible' };
    case 'created':
    case 'present':
      return { status: 'indexed' };
    case 'ended':
    case 'waits':
      return { status: placement };
    default:
      return placement satisfies never;
  }
}
