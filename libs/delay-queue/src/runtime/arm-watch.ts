import type { Clock, ClockTimer } from '../core/clock.js';
import type { Wakeup } from '../ports/wakeup.js';
import { WakeTimer } from './wake-timer.js';

/** Silence after which a process looks for itself: 4 to 5 s, so that not all of them look at once. */
const SILENCE_MS = 4_000;
const SILENCE_JITTER_MS = 1_000;

/** Time in which a living holder answers a ping, event loop busy or not. */
const PING_ANSWER_MS = 500;

/** Without a holder, whoever is free looks after a random part of this; the first one's beat stops the others. */
const WAKE_SPREAD_MS = 200;

/** Free processes answer a call for help after a random part of this. */
const HELP_SPREAD_MS = 20;

/** What an arm watch asks of its lane. */
export interface ArmWatchHost {
  /** A claim is worth trying, now or when there is room; with `force`, it also takes the arm from a silent holder. */
  claim(options: { readonly force: boolean }): void;
  /** Another process holds the arm, and lives: nothing need be taken from it. */
  holderLives(): void;
  /** The lane has nothing to do at all. */
  readonly isIdle: boolean;
  /** Asks over the channel whether the holder lives, or answers that it does. */
  signal(kind: 'ping' | 'beat'): void;
}

/** What an arm watch is made of. */
export interface ArmWatchParts {
  readonly clock: Clock;
  readonly holder: string;
  readonly host: ArmWatchHost;
  /** Signals cannot get lost: nobody need listen for silence, nor spread reactions. */
  readonly reliable: boolean;
}

/**
 * Decides when a lane looks at its partition without a timer of its own having fired.
 *
 * One process holds the arm of a partition and sends a beat every 2.5 s; the others rest while they hear it. Whatever
 * silences the beat (a dead, stopped or cut-off holder, a lost message, a flushed store) ends in a look of theirs.
 */
export class ArmWatch {
  private isArmed = false;
  private readonly silence: WakeTimer;
  private wakeReaction: ClockTimer | null = null;
  private helpReaction: ClockTimer | null = null;
  private closed = false;

  constructor(private readonly parts: ArmWatchParts) {
    this.silence = new WakeTimer(parts.clock, () => this.onSilence());
  }

  /** This lane holds the arm, as far as it knows. */
  get armed(): boolean {
    return this.isArmed;
  }

  /** A reply of the store has told who holds the arm. */
  learned(armed: boolean): void {
    if (this.closed) return;
    const wasArmed = this.isArmed;
    this.isArmed = armed;
    if (armed) this.silence.reset(null);
    else if (wasArmed) this.listen();
  }

  /** The lane has begun, or may have missed signals: does not trust that the holder lives, but asks. */
  askHolder(): void {
    if (this.closed || this.isArmed || this.parts.reliable) return;
    this.silence.fireBy(this.parts.clock.monotonicMs() + PING_ANSWER_MS);
    this.parts.host.signal('ping');
  }

  /** A signal has arrived; true when it says that something may be due earlier than known. */
  heard(signal: Exclude<Wakeup, { kind: 'resubscribed' }>): void {
    if (this.closed) return;
    const own = signal.holder === this.parts.holder;
    switch (signal.kind) {
      case 'wake':
        if (own) this.parts.host.claim({ force: false });
        else if (signal.holder === null) this.reactToWake();
        return;
      case 'beat':
        if (!own) this.onBeat();
        return;
      case 'ping':
        if (!own && this.isArmed) this.parts.host.signal('beat');
        return;
      case 'help':
        if (!own) this.reactToHelp();
        return;
      case 'calm':
        this.helpReaction?.cancel();
        this.helpReaction = null;
        return;
      default:
        signal satisfies never;
    }
  }

  /** Stops every timer; what is heard from now on is ignored. */
  close(): void {
    this.closed = true;
    this.silence.reset(null);
    this.wakeReaction?.cancel();
    this.helpReaction?.cancel();
  }

  private onBeat(): void {
    this.isArmed = false;
    this.wakeReaction?.cancel();
    this.wakeReaction = null;
    this.parts.host.holderLives();
    this.listen();
  }

  private listen(): void {
    if (this.parts.reliable) return;
    this.silence.reset(this.parts.clock.monotonicMs() + SILENCE_MS + Math.random() * SILENCE_JITTER_MS);
  }

  private onSilence(): void {
    this.listen();
    this.parts.host.claim({ force: true });
  }

  private reactToWake(): void {
    if (this.parts.reliable) {
      this.parts.host.claim({ force: false });
      return;
    }
    this.wakeReaction ??= this.parts.clock.setTimer(() => {
      this.wakeReaction = null;
      this.parts.host.claim({ force: false });
    }, Math.random() * WAKE_SPREAD_MS);
  }

  private reactToHelp(): void {
    if (!this.parts.host.isIdle) return;
    this.helpReaction ??= this.parts.clock.setTimer(() => {
      this.helpReaction = null;
      if (this.parts.host.isIdle) this.parts.host.claim({ force: false });
    }, Math.random() * HELP_SPREAD_MS);
  }
}
