import { REASON_LEASES_LOST } from '../ports/settle.js';
import { type BuriedTask, type ClaimedTask, type ClaimRequest, MAX_BYTES_PER_CALL } from '../ports/turn.js';
import type { MemoryPartition, Run } from './memory-partition.js';
import type { StoreTime } from './store-time.js';
import type { TimingWheel } from './timing-wheel.js';

/** From so many leases lost in a row on, a task is suspected of taking its process down. */
const SUSPECT_FROM = 2;

/** A claim, and the settings of the turn that carries it. */
export interface ClaimInput {
  readonly claim: ClaimRequest;
  readonly leaseMs: number;
  readonly maxLostLeases: number;
  readonly time: StoreTime;
}

/** What a claim did. */
export interface ClaimOutcome {
  readonly claimed: readonly ClaimedTask[];
  readonly buried: readonly BuriedTask[];
  readonly orphans: readonly string[];
}

/** Hands out tasks: first those whose lease is over, then those that are due, each in order, in one pass. */
export function claimTasks(partition: MemoryPartition, input: ClaimInput): ClaimOutcome {
  return new Claim(partition, input).run();
}

const NEVER_RUN: Omit<Run, 'dueAtMs'> = { fence: 0, deliveries: 0, failures: 0, lostLeases: 0, redrives: 0 };

class Claim {
  private readonly claimed: ClaimedTask[] = [];
  private readonly buried: BuriedTask[] = [];
  private readonly orphans: string[] = [];
  private fence: number | null = null;
  private bytes = 0;
  /** The caller has a suspect in its hands: no second one may run beside it. */
  private hasSuspect: boolean;
  /** Another claim may bring one. */
  private readonly leavesSuspects: boolean;

  constructor(
    private readonly partition: MemoryPartition,
    private readonly input: ClaimInput,
  ) {
    this.hasSuspect = input.claim.suspects === 'put off';
    this.leavesSuspects = input.claim.suspects === 'leave';
  }

  run(): ClaimOutcome {
    if (!this.leavesSuspects) this.takeExpired();
    this.takeDue();
    const { claimed, buried, orphans } = this;
    return { claimed, buried, orphans };
  }

  private takeExpired(): void {
    const { leased, runs } = this.partition;
    const { nowMs } = this.input.time;
    const deferred: string[] = [];
    for (const { id, timeMs } of leased.first({ limit: this.input.claim.limit, untilMs: nowMs })) {
      if (this.isFull()) break;
      const envelope = this.envelopeOf(id);
      if (envelope === null) continue;
      const before = runs.get(id) ?? { ...NEVER_RUN, dueAtMs: timeMs };
      const run = { ...before, lostLeases: before.lostLeases + 1 };
      if (run.lostLeases >= this.input.maxLostLeases) {
        this.partition.bury(id, { run, reason: REASON_LEASES_LOST, error: '', nowMs });
        this.buried.push({ id, lostLeases: run.lostLeases });
      } else if (this.mustWait(run)) deferred.push(id);
      else this.take(id, { envelope, run });
    }
    this.spread(deferred, leased);
  }

  private takeDue(): void {
    const { due, runs } = this.partition;
    const limit = this.input.claim.limit - this.claimed.length;
    const deferred: string[] = [];
    for (const { id, timeMs } of due.first({ limit, untilMs: this.input.time.nowMs })) {
      if (this.isFull()) break;
      const envelope = this.envelopeOf(id);
      if (envelope === null) continue;
      const run = { ...NEVER_RUN, ...runs.get(id), dueAtMs: timeMs };
      if (this.leavesSuspects && isSuspect(run)) continue;
      if (this.mustWait(run)) deferred.push(id);
      else this.take(id, { envelope, run });
    }
    this.spread(deferred, due);
  }

  private take(id: string, { envelope, run }: { envelope: string; run: Run }): void {
    const fence = (this.fence ??= this.drawFence());
    const { deliveries, failures, lostLeases, redrives, dueAtMs } = { ...run, deliveries: run.deliveries + 1 };
    this.partition.due.delete(id);
    this.partition.leased.set(id, this.input.time.nowMs + this.input.leaseMs);
    this.partition.runs.set(id, { fence, deliveries, failures, lostLeases, redrives, dueAtMs });
    this.claimed.push({ id, envelope, fence, deliveries, failures, lostLeases, redrives, dueAtMs });
    this.bytes += Buffer.byteLength(envelope);
    this.hasSuspect ||= isSuspect(run);
  }

  /** One fence per call. Without an epoch it is drawn from the clock alone, and not kept. */
  private drawFence(): number {
    const { partition } = this;
    const { nowUs } = this.input.time;
    if (partition.fence === null) return nowUs;
    partition.fence = Math.max(partition.fence + 1, nowUs);
    return partition.fence;
  }

  private isFull(): boolean {
    return this.bytes >= MAX_BYTES_PER_CALL;
  }

  private mustWait(run: Run): boolean {
    return this.hasSuspect && isSuspect(run);
  }

  /** An id without an envelope cannot be run: it is removed and reported. */
  private envelopeOf(id: string): string | null {
    const envelope = this.partition.envelopes.get(id);
    if (envelope !== undefined) return envelope;
    this.partition.remove(id);
    this.orphans.push(id);
    return null;
  }

  /** Moves suspects that had to wait to evenly spread moments of one lease, so that they come up one by one. */
  private spread(ids: readonly string[], wheel: TimingWheel): void {
    const { leaseMs, time } = this.input;
    for (const [index, id] of ids.entries()) {
      wheel.set(id, time.nowMs + Math.max(1, Math.floor((leaseMs * (index + 1)) / (ids.length + 1))));
    }
  }
}

function isSuspect(run: Run): boolean {
  return run.lostLeases >= SUSPECT_FROM;
}
