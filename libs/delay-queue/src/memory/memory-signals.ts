import { Subject } from 'rxjs';
import { partitionName, type PartitionRef } from '../core/partition.js';
import type { PartitionSignal, Wakeup } from '../ports/wakeup.js';

/**
 * Carries signals to those who listen, as a server's publish and subscribe would: only of the partitions that were asked
 * for, in order, and never within the call that gives them.
 */
export class MemorySignals {
  private readonly subject = new Subject<Wakeup>();
  private readonly listened = new Set<string>();

  readonly wakeups$ = this.subject.asObservable();

  listen(refs: readonly PartitionRef[]): void {
    for (const ref of refs) this.listened.add(partitionName(ref));
  }

  publish(signals: readonly PartitionSignal[]): void {
    for (const signal of signals) {
      if (!this.listened.has(partitionName(signal.ref))) continue;
      // A promise, because test runners fake queueMicrotask along with the timers.
      void Promise.resolve(signal).then((told) => this.subject.next(told));
    }
  }

  /** Ends {@link wakeups$}; signals still on their way are lost. */
  close(): void {
    this.subject.complete();
  }
}
