import type { Clock, ClockTimer } from '../core/clock.js';
import { partitionName } from '../core/partition.js';
import type { TaskStore } from '../ports/task-store.js';
import type { Lane } from './lane.js';
import type { StoreMonitor } from './store-monitor.js';

/** Period of a holder's look at what it watches; half of the time for which an arm is held. */
const BEAT_MS = 2_500;

/** What a holder's beat is made of. */
export interface HolderBeatParts {
  readonly holder: string;
  readonly store: TaskStore;
  readonly clock: Clock;
  readonly monitor: StoreMonitor;
  readonly lanes: () => readonly Lane[];
}

/**
 * Looks after every lane whose arm this process holds, in one store call each 2.5 s: keeps the arms, tells the other
 * processes that their holder lives, and learns what has become due meanwhile.
 */
export class HolderBeat {
  private timer: ClockTimer | null = null;
  private stopped = false;

  constructor(private readonly parts: HolderBeatParts) {}

  start(): void {
    // Nobody can miss a signal of a store inside the process: there is nothing to look after.
    if (!this.parts.store.reliableWakeups) this.schedule();
  }

  stop(): void {
    this.stopped = true;
    this.timer?.cancel();
  }

  private schedule(): void {
    if (this.stopped) return;
    this.timer = this.parts.clock.setTimer(() => void this.beat().finally(() => this.schedule()), BEAT_MS);
  }

  private async beat(): Promise<void> {
    const { monitor } = this.parts;
    const held = this.parts.lanes().filter((lane) => lane.armed);
    if (held.length > 0) await this.lookAfter(held);
    else if (monitor.health.down) await this.probe();
  }

  private async lookAfter(held: readonly Lane[]): Promise<void> {
    const { store, holder, clock, monitor } = this.parts;
    const asked = new Map(held.map((lane) => [partitionName(lane.ref), { lane, changesAtSend: lane.changeCount }]));
    const sentAtMs = clock.monotonicMs();
    try {
      const replies = await store.peek({ holder, lanes: held.map(({ ref }) => ref) });
      const receivedAtMs = clock.monotonicMs();
      for (const reply of replies) {
        monitor.completed({ nowUs: reply.nowUs, sentAtMs, receivedAtMs });
        const question = asked.get(partitionName(reply.ref));
        question?.lane.peeked(reply, { changesAtSend: question.changesAtSend, receivedAtMs });
      }
    } catch (error) {
      monitor.failed(error);
    }
  }

  /** Who only schedules, or rests while another process watches, would never learn that the store is back. */
  private async probe(): Promise<void> {
    const { store, monitor } = this.parts;
    try {
      await store.open();
      monitor.completed();
    } catch (error) {
      monitor.failed(error);
    }
  }
}
