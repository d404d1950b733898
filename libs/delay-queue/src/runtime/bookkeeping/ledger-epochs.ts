import { isStoreError } from '../../core/errors.js';
import { newHolderId } from '../../core/ids.js';
import { type PartitionRef, partitionName } from '../../core/partition.js';
import type { QueueLogger } from '../../ports/queue-event.js';
import type { LedgerEpoch, TaskLedger } from '../../ports/task-ledger.js';
import type { TaskStore } from '../../ports/task-store.js';
import type { Epoch } from '../../ports/turn.js';
import { errorText } from '../../task/error-text.js';
import type { LedgerMonitor } from './ledger-monitor.js';

/** Every process looks at the store more often than this: a loss that was noted so recently is the one it notices now. */
const SAME_LOSS_MS = 10_000;

/** Creation times are of the producers' clocks: so far they may be behind that of the database. */
const CLOCK_SKEW_MS = 60_000;

/** What the keeper of epochs is made of. */
export interface LedgerEpochsParts {
  readonly ledger: TaskLedger;
  readonly store: TaskStore;
  readonly monitor: LedgerMonitor;
  readonly logger: QueueLogger;
  /** Makes the store ready for the type of a partition. */
  readonly register: (type: string) => Promise<void>;
}

/**
 * Begins the epochs of partitions, and never before the ledger has a note of what was lost.
 *
 * A partition without a fence is one whose tasks must be loaded again. Beginning its epoch hides that from everybody, so
 * the note comes first: it outlives this process, and who reads it goes on. With the fence back, a second loss in the
 * middle of the loading is noticed as the first one was.
 */
export class LedgerEpochs {
  private readonly holder = newHolderId();
  private readonly losing = new Map<string, Promise<void>>();
  private readonly unsettled = new Map<string, PartitionRef>();
  private readonly lostAtMs = new Map<string, number>();

  constructor(private readonly parts: LedgerEpochsParts) {}

  /** A loss could not be noted yet. */
  get unsettledLosses(): readonly PartitionRef[] {
    return [...this.unsettled.values()];
  }

  /**
   * Begins the epoch of a partition before its first use, or does nothing when it has one.
   *
   * @throws StoreUnavailableError, StoreRejectedError
   */
  async begin(ref: PartitionRef): Promise<void> {
    if ((await this.peek(ref)) === 'absent') {
      await this.lost(ref);
      return;
    }
    await this.parts.monitor.attempt(async () => this.learn(await this.parts.ledger.epochOf(ref)));
  }

  /** A partition has lost its keys, or has gone back to an earlier state. Never rejects: what fails is done again later. */
  lost(ref: PartitionRef): Promise<void> {
    const name = partitionName(ref);
    let running = this.losing.get(name);
    if (running === undefined) {
      this.unsettled.set(name, ref);
      running = this.settleLoss(ref).finally(() => this.losing.delete(name));
      this.losing.set(name, running);
    }
    return running;
  }

  /** Begins a new epoch whether or not anything was lost. Rejects when it fails. */
  async renew(ref: PartitionRef): Promise<void> {
    const { epoch } = await this.parts.ledger.epochOf(ref);
    // When somebody else was faster, what is to be loaded again is noted as well.
    await this.parts.ledger.loseEpoch(ref, epoch);
    await this.beginInStore(ref, await this.peek(ref));
  }

  /** Takes note of what the ledger says. */
  learn(epoch: LedgerEpoch): void {
    if (epoch.lostAtMs !== null) this.lostAtMs.set(partitionName(epoch), epoch.lostAtMs);
  }

  /** A task of before the last loss: the store may have gone back to a time when it was not done yet. */
  isOfLostTime(ref: PartitionRef, createdAtMs: number): boolean {
    const lostAtMs = this.lostAtMs.get(partitionName(ref));
    return (
      (lostAtMs !== undefined && createdAtMs <= lostAtMs + CLOCK_SKEW_MS) || this.unsettled.has(partitionName(ref))
    );
  }

  private async settleLoss(ref: PartitionRef): Promise<void> {
    const { monitor, logger } = this.parts;
    try {
      // Again when another process has begun an epoch between the two statements.
      while (!(await this.tryToSettle(ref)));
      this.unsettled.delete(partitionName(ref));
      monitor.completed();
    } catch (error) {
      if (isStoreError(error))
        logger.warn(`Partition ${ref.partition} of '${ref.type}' has no epoch yet: ${errorText(error)}`);
      else monitor.failed(error);
    }
  }

  private async tryToSettle(ref: PartitionRef): Promise<boolean> {
    const known = await this.parts.ledger.epochOf(ref);
    this.learn(known);
    const state = await this.peek(ref);
    const isNoted = known.sinceLostMs !== null && known.sinceLostMs < SAME_LOSS_MS;
    if (state === 'present' && isNoted) return true;
    if (!(await this.isNew(known)) && !(await this.note(known))) return false;
    await this.beginInStore(ref, state);
    return true;
  }

  /** A partition of which nothing was ever in the store has lost nothing. */
  private async isNew(known: LedgerEpoch): Promise<boolean> {
    return known.lostAtMs === null && !(await this.parts.ledger.hasIndexed(known));
  }

  private async note(known: LedgerEpoch): Promise<boolean> {
    if (!(await this.parts.ledger.loseEpoch(known, known.epoch))) return false;
    this.learn(await this.parts.ledger.epochOf(known));
    return true;
  }

  private async beginInStore(ref: PartitionRef, state: Epoch): Promise<void> {
    if (state === 'present') return;
    await this.parts.register(ref.type);
    await this.parts.store.init(ref);
  }

  private async peek(ref: PartitionRef): Promise<Epoch> {
    // Under a name of its own: the look must not renew an arm that a lane of this process holds.
    const [reply] = await this.parts.store.peek({ holder: this.holder, lanes: [ref] });
    return reply?.epoch ?? 'present';
  }
}
