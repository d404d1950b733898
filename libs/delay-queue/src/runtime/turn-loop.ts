import { setImmediate } from 'node:timers';
import type { Clock } from '../core/clock.js';
import { isStoreError } from '../core/errors.js';
import type { QueueObserver } from '../ports/queue-event.js';
import type { TaskStore } from '../ports/task-store.js';
import type { TurnReply } from '../ports/turn.js';
import type { WatchedParts } from './activity-watcher.js';
import { RetryPause } from './retry-pause.js';
import { eventOfAnswer, type SettleBuffer } from './settle-buffer.js';
import type { StoreMonitor } from './store-monitor.js';
import type { ComposedTurn, TurnComposer, TurnWish } from './turn-composer.js';
import type { TypeSlots } from './type-slots.js';

/** When a call was sent and its reply read, on the monotonic clock. */
export interface CallTimes {
  readonly sentAtMs: number;
  readonly receivedAtMs: number;
}

/** What a turn loop asks of its lane. */
export interface TurnLoopHost {
  /** What the lane wants of the turn that is about to be composed. */
  wish(): TurnWish;
  /** A second turn is worth sending while the first has not been answered. */
  readonly mayOverlap: boolean;
  /** The turn is on its way. */
  sent(turn: ComposedTurn): void;
  /** The answer has come; its settles are dealt with, and the places of its claim are still reserved. */
  replied(turn: ComposedTurn, reply: TurnReply, times: CallTimes): void;
  /** No answer came; what the turn carried will be sent again. */
  failed(turn: ComposedTurn): void;
  /** The answer came after all, when the turn had been given up. */
  repliedLate(reply: TurnReply, times: CallTimes): void;
}

/** What a turn loop is made of. */
export interface TurnLoopParts extends WatchedParts {
  readonly store: TaskStore;
  readonly clock: Clock;
  readonly monitor: StoreMonitor;
  readonly observer: QueueObserver;
  readonly settles: SettleBuffer;
  readonly slots: TypeSlots;
  readonly composer: TurnComposer;
  readonly host: TurnLoopHost;
}

/** With a second one the store and this process both work all the time; a third would only wait. */
const MAX_IN_FLIGHT = 2;

/**
 * Sends the turns of one lane for as long as there is anything to say.
 *
 * ```
 * resting ──pump──▶ gathering (to the end of this tick) ──▶ in flight ──reply──▶ gathering
 *                                                                └──failure──▶ pausing ──▶ gathering
 * ```
 *
 * One is in flight at a time; a second one when the lane asks for it, so that the store works on it while this process
 * deals with the answer to the first. They go out in order on one connection, no task is in both, and what the second one
 * claims does not depend on what the first one does.
 */
export class TurnLoop {
  private gathering = false;
  private flying = 0;
  private closed = false;
  private readonly pause: RetryPause;

  constructor(private readonly parts: TurnLoopParts) {
    this.pause = new RetryPause(parts.clock, () => this.pump());
  }

  /** A turn has been sent and not been answered. */
  get inFlight(): boolean {
    return this.flying > 0;
  }

  /** Nothing is in flight, and a turn that is asked for now would be sent. */
  get isFree(): boolean {
    return this.flying === 0 && !this.pause.active && !this.closed;
  }

  /** A turn that is asked for now would be sent, be it beside another one. */
  get isReady(): boolean {
    if (this.flying === 0 || this.pause.active || this.closed) return this.isFree;
    return this.flying < MAX_IN_FLIGHT && this.parts.host.mayOverlap;
  }

  /** Sends a turn soon, if there is anything to say; whatever else comes up in this tick goes with it. */
  pump(): void {
    if (this.gathering || !this.isReady) return;
    this.gathering = true;
    this.parts.watcher?.callBegan();
    setImmediate(() => {
      this.gathering = false;
      this.send();
      this.parts.watcher?.callEnded();
    });
  }

  /** Sends a turn now, without waiting for what else may come up. */
  send(): void {
    if (this.isReady) void this.turn();
  }

  /** Nothing more is sent. */
  close(): void {
    this.closed = true;
    this.pause.close();
  }

  private async turn(): Promise<void> {
    const { composer, host, store, clock, watcher } = this.parts;
    const turn = composer.compose(host.wish());
    if (turn === null) return;
    this.flying++;
    watcher?.callBegan();
    host.sent(turn);
    const sentAtMs = clock.monotonicMs();
    const onLateReply = (reply: TurnReply) => host.repliedLate(reply, { sentAtMs, receivedAtMs: clock.monotonicMs() });
    try {
      const answer = await answerOf(store.turn(turn.request, { onLateReply }));
      this.flying--;
      if (answer.reply === null) this.failed(turn, answer.error);
      else this.succeeded(turn, answer.reply, { sentAtMs, receivedAtMs: clock.monotonicMs() });
    } finally {
      this.pump();
      watcher?.callEnded();
    }
  }

  private succeeded(turn: ComposedTurn, reply: TurnReply, times: CallTimes): void {
    const { monitor, settles, host } = this.parts;
    this.pause.succeeded();
    monitor.completed({ nowUs: reply.nowUs, ...times });
    settles.answered(turn.settles);
    this.tellSettled(turn, reply);
    host.replied(turn, reply, times);
  }

  private failed(turn: ComposedTurn, error: unknown): void {
    const { monitor, settles, slots, host } = this.parts;
    // First of all, or a place given back would send the next turn without a pause.
    this.pause.failed();
    monitor.failed(error);
    settles.putBack(turn.settles, !isStoreError(error) || error.outcome === 'unknown');
    slots.release(turn.reserved);
    host.failed(turn);
  }

  private tellSettled(turn: ComposedTurn, reply: TurnReply): void {
    turn.settles.forEach((pending, index) => {
      const code = reply.settled[index];
      const event = code === undefined ? null : eventOfAnswer(pending, code);
      if (event !== null) this.parts.observer.notify(event);
    });
  }
}

/** The reply or the error of a turn, so that what is done with the one is never taken for the other. */
async function answerOf(
  call: Promise<TurnReply>,
): Promise<{ readonly reply: TurnReply } | { readonly reply: null; readonly error: unknown }> {
  try {
    return { reply: await call };
  } catch (error) {
    return { reply: null, error };
  }
}
