import { filter, firstValueFrom, type Subscription, timeout } from 'rxjs';
import type { PartitionRef } from '../../libs/delay-queue/src/core/partition.js';
import type { TaskStore } from '../../libs/delay-queue/src/ports/task-store.js';
import type { PartitionSignal, Wakeup } from '../../libs/delay-queue/src/ports/wakeup.js';

/** Far above the time that a signal takes, below the time limit of a test. */
const DELIVERY_DEADLINE_MS = 4_000;

/** Collects the signals of one partition in the order of their arrival. */
export class SignalRecorder {
  private readonly recorded: Wakeup[] = [];
  private readonly marker: PartitionSignal;
  private readonly subscription: Subscription;

  /** @param store signals given through it before a question have arrived when the question is answered. */
  constructor(
    private readonly store: TaskStore,
    private readonly ref: PartitionRef,
  ) {
    this.marker = { kind: 'ping', ref, holder: 'the recorder' };
    this.subscription = store.wakeups$.subscribe((wakeup) => {
      if (this.concernsUs(wakeup) && !this.isMarker(wakeup)) this.recorded.push(wakeup);
    });
  }

  /**
   * Everything that was signalled since the last question, in short: `wake me`, `wake everyone`, `beat me`.
   *
   * It sends a signal of its own and waits for it: what was given before has arrived by then.
   */
  async take(): Promise<readonly string[]> {
    const markerArrives = firstValueFrom(
      this.store.wakeups$.pipe(
        filter((wakeup) => this.isMarker(wakeup)),
        timeout(DELIVERY_DEADLINE_MS),
      ),
    );
    await this.store.signal(this.marker);
    await markerArrives;
    return this.recorded.splice(0).map(inShort);
  }

  /** Records no more. */
  stop(): void {
    this.subscription.unsubscribe();
  }

  private concernsUs(wakeup: Wakeup): boolean {
    if (wakeup.kind === 'resubscribed') return true;
    return wakeup.ref.type === this.ref.type && wakeup.ref.partition === this.ref.partition;
  }

  private isMarker(wakeup: Wakeup): boolean {
    return this.concernsUs(wakeup) && wakeup.kind === 'ping' && wakeup.holder === 'the recorder';
  }
}

function inShort(wakeup: Wakeup): string {
  return wakeup.kind === 'resubscribed' ? wakeup.kind : `${wakeup.kind} ${wakeup.holder ?? 'everyone'}`;
}
