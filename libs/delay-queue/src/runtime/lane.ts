import type { Clock } from '../core/clock.js';
import type { PartitionRef } from '../core/partition.js';
import type { ResolvedTypeOptions } from '../options/resolved-options.js';
import type { QueueEvent, QueueLogger, QueueObserver } from '../ports/queue-event.js';
import type { Settle } from '../ports/settle.js';
import type { TaskStore } from '../ports/task-store.js';
import type { ArmRequest, PeekReply, TurnReply } from '../ports/turn.js';
import type { PartitionSignal } from '../ports/wakeup.js';
import { ArmWatch, type ArmWatchHost } from './arm-watch.js';
import { ClaimsUnderWay } from './claims-under-way.js';
import { DueTimer } from './due-timer.js';
import { EpochWatch } from './epoch-watch.js';
import { Executor, type ExecutorHost, type ExecutorParts } from './executor.js';
import { Intake } from './intake.js';
import { LeaseKeeper } from './lease-keeper.js';
import { LoadWatch } from './load-watch.js';
import type { StuckHandler } from './queue-health.js';
import { reportFindings } from './reply-findings.js';
import type { Run } from './run.js';
import { SettleBuffer } from './settle-buffer.js';
import type { StoreMonitor } from './store-monitor.js';
import { StuckWatch } from './stuck-watch.js';
import type { TaskHandler } from './task-handler.js';
import { type ComposedTurn, TurnComposer, type TurnWish } from './turn-composer.js';
import { type CallTimes, TurnLoop, type TurnLoopHost } from './turn-loop.js';
import type { SlotUser, TypeSlots } from './type-slots.js';

/** What a lane is made of. */
export interface LaneParts extends Pick<ExecutorParts, 'watcher' | 'tracer'> {
  readonly ref: PartitionRef;
  readonly holder: string;
  readonly settings: ResolvedTypeOptions;
  readonly handler: TaskHandler;
  readonly slots: TypeSlots;
  readonly store: TaskStore;
  readonly clock: Clock;
  readonly monitor: StoreMonitor;
  readonly observer: QueueObserver;
  readonly logger: QueueLogger;
  /** The partition's keys have vanished: a new epoch must begin. */
  readonly onEpochLost: (ref: PartitionRef) => void;
  /** A handler has ended, or the store has answered. */
  readonly onProgress: () => void;
}

/**
 * One partition of one type in one process: claims what is due, runs it, settles it.
 *
 * ```
 * new ──start──▶ open ──drain──▶ draining ──close──▶ closed
 * ```
 *
 * All it has to say to the store goes through its turn loop: outcomes that are ready, leases that are due for renewal
 * and, while it is open and has room, a claim.
 */
export class Lane implements ExecutorHost, TurnLoopHost, ArmWatchHost, SlotUser {
  private phase: 'new' | 'open' | 'draining' | 'closed' = 'new';
  private readonly settles = new SettleBuffer();
  private readonly keeper: LeaseKeeper;
  private readonly stuckWatch: StuckWatch;
  private readonly executor: Executor;
  private readonly intake: Intake;
  private readonly loop: TurnLoop;
  private readonly arm: ArmWatch;
  private readonly epoch: EpochWatch;
  private readonly dueTimer: DueTimer;
  private claimWanted = false;
  private forceArm = false;
  private resignWanted = false;
  private readonly load: LoadWatch;
  private readonly claims = new ClaimsUnderWay();

  constructor(private readonly parts: LaneParts) {
    const { clock, holder, settings, store, slots, monitor } = parts;
    this.keeper = new LeaseKeeper({ clock, leaseMs: settings.leaseMs, onDue: () => this.loop.pump() });
    this.stuckWatch = new StuckWatch({ ...parts, stuckAfterMs: settings.stuckAfterMs, runs: this.keeper });
    this.executor = new Executor({ ...parts, host: this });
    const { keeper, stuckWatch, executor } = this;
    const phase = () => this.phase;
    this.intake = new Intake({ ...parts, user: this, keeper, stuckWatch, executor, claims: this.claims, phase });
    const composer = new TurnComposer({ ...parts, settles: this.settles, keeper, user: this });
    this.loop = new TurnLoop({ ...parts, settles: this.settles, composer, host: this });
    this.arm = new ArmWatch({ clock, holder, host: this, reliable: store.reliableWakeups });
    this.epoch = new EpochWatch(parts);
    this.load = new LoadWatch({ clock, isFull: () => !this.hasRoom, onOverloaded: () => this.resign() });
    this.dueTimer = new DueTimer(clock, () => this.claim({ force: false }));
    slots.join(this);
    monitor.onClockJump(() => this.keeper.renewAll());
  }

  get ref(): PartitionRef {
    return this.parts.ref;
  }

  get armed(): boolean {
    return this.arm.armed;
  }

  get hasRoom(): boolean {
    return this.parts.slots.free > 0;
  }

  get isIdle(): boolean {
    return this.keeper.size === 0 && !this.loop.inFlight && this.hasRoom;
  }

  /** Handlers that have not ended. */
  get running(): number {
    return this.keeper.size - this.intake.waiting;
  }

  get stuck(): readonly StuckHandler[] {
    return this.stuckWatch.stuck;
  }

  /** Outcomes that the store has not confirmed. */
  get unconfirmed(): number {
    return this.settles.size;
  }

  get turnInFlight(): boolean {
    return this.loop.inFlight;
  }

  /** Where the changes stand; to be given to {@link peeked} with the answer. */
  get changeCount(): number {
    return this.dueTimer.changeCount;
  }

  /**
   * A second claim while the first is unanswered pays when tasks wait that this lane would run at once, and when it takes
   * with it the outcomes of half the places: many small calls would cost more than they bring.
   */
  get mayOverlap(): boolean {
    const { settles, intake, claims, phase } = this;
    return phase === 'open' && claims.moreIsDue && 2 * settles.unsent >= this.parts.slots.size && intake.aheadRoom > 0;
  }

  get canClaimNow(): boolean {
    return this.phase === 'open' && (this.intake.waiting > 0 || (this.claimWanted && this.loop.isFree));
  }

  placesChanged(): void {
    this.intake.startWaiting();
    if (this.claimWanted) this.loop.pump();
  }

  start(): void {
    if (this.phase !== 'new') return;
    this.phase = 'open';
    this.claim({ force: false });
    this.arm.askHolder();
  }

  /** Takes no more tasks; what runs goes on, and its outcomes are still told to the store. */
  drain(): void {
    if (this.phase !== 'open') return;
    this.phase = 'draining';
    this.dueTimer.forget();
    this.intake.giveBackWaiting();
    this.loop.pump();
  }

  /** Tells every handler that still runs to stop. */
  abortRuns(): void {
    for (const run of this.keeper) run.abort('shutdown', this.parts.clock.monotonicMs());
  }

  /** Gives back every task whose outcome is not decided. */
  releaseRuns(): void {
    for (const run of this.keeper) if (!run.settled) this.executor.release(run);
  }

  /** Stops for good: no timer is left, and nothing more is sent. Returns how many outcomes were never confirmed. */
  close(): number {
    this.phase = 'closed';
    this.dueTimer.forget();
    this.load.close();
    this.arm.close();
    this.keeper.close();
    this.stuckWatch.close();
    this.executor.close();
    this.intake.close();
    this.loop.close();
    return this.settles.size;
  }

  heard(signal: PartitionSignal): void {
    if (this.phase !== 'open') return;
    if (signal.kind === 'wake') this.dueTimer.changed();
    this.arm.heard(signal);
  }

  /** Signals may have been missed. */
  resubscribed(): void {
    if (this.phase !== 'open') return;
    this.dueTimer.changed();
    this.arm.askHolder();
  }

  /** The regular look at the partition has been answered. */
  peeked(reply: PeekReply, at: { changesAtSend: number; receivedAtMs: number }): void {
    if (this.phase !== 'open') return;
    this.arm.learned(reply.armed);
    this.epoch.check(reply);
    this.dueTimer.learned(reply, at);
  }

  claim({ force }: { readonly force: boolean }): void {
    if (this.phase !== 'open') return;
    this.claimWanted = true;
    this.forceArm ||= force;
    // The places may all be taken by other lanes of the type: this one then hears of no reply that would tell.
    if (this.armed) this.load.watchFull();
    this.loop.pump();
  }

  holderLives(): void {
    this.forceArm = false;
  }

  signal(kind: 'ping' | 'beat' | 'calm'): void {
    const { store, ref, holder, monitor } = this.parts;
    store.signal({ kind, ref, holder }).catch((error: unknown) => monitor.failed(error));
  }

  settle(run: Run, settle: Settle, event: QueueEvent | null): void {
    this.settles.add({ run, settle, event, maybeApplied: false });
    if (run.abortCause === 'handler timeout') this.stuckWatch.handlerAborted();
    this.loop.pump();
  }

  ended(run: Run): void {
    this.load.handlerEnded();
    this.intake.handlerEnded();
    this.keeper.remove(run);
    this.parts.slots.release(1);
    this.parts.onProgress();
  }

  wish(): TurnWish {
    return {
      arm: this.armRequest(),
      claim: this.claimWanted,
      closed: this.phase !== 'open',
      mayCallForHelp: this.load.mayCallForHelp,
      aheadRoom: this.intake.aheadRoom,
      overlaps: this.loop.inFlight,
      suspectUnderWay: this.claims.mayBringSuspect,
    };
  }

  sent(turn: ComposedTurn): void {
    // A reply to a look that was sent before this turn knows nothing of what the turn does.
    turn.changesAtSend = this.dueTimer.changed();
    this.resignWanted = false;
    this.claims.sent(turn);
    const claims = turn.request.claim !== null;
    this.forceArm &&= !claims;
    // Without a claim, the place of the task that is settled has gone to a sibling, whose turn it was; the next one is for
    // this lane.
    this.claimWanted = !claims && (this.claimWanted || turn.settles.length > 0);
  }

  replied(turn: ComposedTurn, reply: TurnReply, times: CallTimes): void {
    this.claims.answered(turn, reply);
    this.takeExtensions(turn, reply, times);
    this.arm.learned(reply.armed);
    this.epoch.check(reply);
    reportFindings(this.parts, reply);
    this.claimWanted ||= reply.overdueLeft;
    if (this.load.claimed(turn.request.claim, reply) === 'calm') this.signal('calm');
    if (this.phase === 'open') {
      this.dueTimer.learned(reply, { changesAtSend: turn.changesAtSend, receivedAtMs: times.receivedAtMs });
    }
    if (this.intake.take(reply, times, turn.reserved)) {
      // The next claim is under way while these are run, when there is a next one and they are through so soon.
      if (this.claimWanted && this.intake.aheadRoom > 0 && !this.loop.inFlight) this.loop.send();
      this.intake.startTaken(reply);
    }
    if (this.armed) this.load.watchFull();
    this.parts.onProgress();
  }

  failed(turn: ComposedTurn): void {
    this.claims.answered(turn, null);
    this.claimWanted ||= turn.request.claim !== null;
    if (turn.extended.length > 0) this.keeper.renewAll();
    this.resignWanted ||= turn.request.arm === 'resign';
    this.forceArm ||= turn.request.arm === 'force';
  }

  repliedLate(reply: TurnReply, times: CallTimes): void {
    this.intake.takeLate(reply, times);
    reportFindings(this.parts, reply);
  }

  private armRequest(): ArmRequest {
    if (this.phase !== 'open') return this.armed ? 'resign' : 'leave';
    if (this.resignWanted) return 'resign';
    if (!this.hasRoom) return 'leave';
    return this.forceArm ? 'force' : 'take';
  }

  private resign(): void {
    this.resignWanted = this.armed;
    this.loop.pump();
  }

  private takeExtensions(turn: ComposedTurn, reply: TurnReply, { sentAtMs }: CallTimes): void {
    for (const run of this.keeper.answered(turn.extended, reply.extended, sentAtMs)) {
      this.executor.loseLease(run);
      this.stuckWatch.handlerAborted();
    }
  }
}
