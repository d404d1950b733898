import type { PartitionRef } from '../core/partition.js';
import type {
  DoneMark,
  FinishAnswer,
  IdempotencyStore,
  MarkAnswer,
  MarkClaim,
  MarkOwner,
  OwnMarkAnswer,
  OwnMarkRef,
} from '../ports/idempotency-store.js';
import { type Mark, MarkTable, ownMarkName } from './mark-table.js';
import type { MemoryPartition } from './memory-partition.js';

/** What the marks need of the store that they belong to; each call begins with one of these. */
export interface MemoryMarksHost {
  /** The time of a call. */
  beginCall(): { readonly nowMs: number };
  /** The time of a call, and the partition that it looks at. */
  begin(ref: PartitionRef): { readonly nowMs: number; readonly partition: MemoryPartition };
}

/** Keeps marks in the memory of the process. */
export class MemoryIdempotencyStore implements IdempotencyStore {
  private readonly shared = new MarkTable();

  constructor(private readonly host: MemoryMarksHost) {}

  async look({ ref, id, life, fence }: OwnMarkRef): Promise<OwnMarkAnswer> {
    const { nowMs, partition } = this.host.begin(ref);
    const holds = partition.leased.has(id) && partition.runs.get(id)?.fence === fence;
    if (!holds) return { kind: 'superseded' };
    const mark = partition.marks.get(ownMarkName(id, life), nowMs);
    return mark?.kind === 'done' ? { kind: 'done', result: mark.result } : { kind: 'begun' };
  }

  async begin(key: string, claim: MarkClaim): Promise<MarkAnswer> {
    const { nowMs } = this.host.beginCall();
    const mark = this.shared.get(key, nowMs);
    if (mark?.kind === 'done') return { kind: 'done', result: mark.result };
    if (mark !== null && mark.owner !== claim.owner) return { kind: 'in progress', leftMs: mark.endMs - nowMs };
    if (!isFree(mark, claim)) return { kind: 'superseded' };
    this.shared.set(key, inProgress(claim, nowMs), nowMs);
    return { kind: 'begun' };
  }

  async extend(key: string, claim: MarkClaim): Promise<boolean> {
    const { nowMs } = this.host.beginCall();
    if (!isFree(this.shared.get(key, nowMs), claim)) return false;
    this.shared.set(key, inProgress(claim, nowMs), nowMs);
    return true;
  }

  async finish(key: string, owner: MarkOwner, { keepMs, result }: DoneMark): Promise<FinishAnswer> {
    const { nowMs } = this.host.beginCall();
    const mark = this.shared.get(key, nowMs);
    if (mark?.kind === 'done') return 'done before';
    if (!isFree(mark, owner)) return 'lost';
    this.shared.set(key, { kind: 'done', endMs: nowMs + keepMs, result }, nowMs);
    return 'finished';
  }

  async drop(key: string, owner: MarkOwner): Promise<boolean> {
    const mark = this.shared.get(key, this.host.beginCall().nowMs);
    if (mark === null || !isFree(mark, owner)) return false;
    this.shared.delete(key);
    return true;
  }
}

/** Whether an owner may write: there is no mark, or it is the owner's and no later delivery has begun. */
function isFree(mark: Mark | null, { owner, fence }: MarkOwner): boolean {
  return mark === null || (mark.kind === 'in progress' && mark.owner === owner && mark.fence <= fence);
}

function inProgress({ owner, fence, holdMs }: MarkClaim, nowMs: number): Mark {
  return { kind: 'in progress', owner, fence, endMs: nowMs + holdMs };
}
