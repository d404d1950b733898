import type { PartitionRef } from '../core/partition.js';
import type { QueueLogger, QueueObserver } from '../ports/queue-event.js';
import type { Epoch } from '../ports/turn.js';

/** What an epoch watch is made of. */
export interface EpochWatchParts {
  readonly ref: PartitionRef;
  readonly observer: QueueObserver;
  readonly logger: QueueLogger;
  readonly onEpochLost: (ref: PartitionRef) => void;
}

/** Notices that a partition's keys have vanished, or gone back to an earlier state: fences only ever rise. */
export class EpochWatch {
  private highestFence = 0;
  private latestUs = 0;
  private reportedAbsent = false;

  constructor(private readonly parts: EpochWatchParts) {}

  /** Looks at a reply; replies of two calls may come in another order than the store gave them, so an older one is void. */
  check({
    epoch,
    lastFence,
    fenceBefore = lastFence,
    nowUs,
  }: {
    readonly epoch: Epoch;
    readonly lastFence: number;
    /** Before what the call itself has drawn; for a call that draws none the same. */
    readonly fenceBefore?: number;
    readonly nowUs: number;
  }): void {
    if (nowUs < this.latestUs) return;
    // Two calls within one microsecond: the higher fence is the later answer.
    if (nowUs === this.latestUs && epoch === 'present' && lastFence < this.highestFence) return;
    this.latestUs = nowUs;
    if (epoch === 'absent') this.foundAbsent();
    else this.foundPresent(fenceBefore);
    this.highestFence = lastFence;
  }

  /** Said once; asked for on each answer, because beginning an epoch may fail as any call may. */
  private foundAbsent(): void {
    if (this.reportedAbsent) this.parts.onEpochLost(this.parts.ref);
    else this.report('absent');
    this.reportedAbsent = true;
  }

  private foundPresent(fenceBefore: number): void {
    this.reportedAbsent = false;
    if (fenceBefore < this.highestFence) this.report('rolled back');
  }

  private report(how: 'absent' | 'rolled back'): void {
    const { ref, logger, observer, onEpochLost } = this.parts;
    const what = how === 'absent' ? 'has lost its keys' : 'has gone back to an earlier state';
    logger.error(`Partition ${ref.partition} of '${ref.type}' ${what}; tasks that waited there may be lost.`);
    observer.notify({ kind: 'partition lost', type: ref.type, partition: ref.partition, how });
    onEpochLost(ref);
  }
}
