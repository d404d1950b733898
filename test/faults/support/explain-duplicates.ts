import type { FaultLog } from './fault-log.js';
import { groupBy } from './group-by.js';
import type { EntryAt, RecordReader } from './record-reader.js';

/** A delivery of a life after its first one, and why it came. */
export interface Explanation {
  /** Null when nothing that happened can have caused it. */
  readonly cause: string | null;
  /** Names the delivery, for the error. */
  readonly problem: string;
}

/** What duplicate deliveries are explained from. */
export interface DuplicateEvidence {
  readonly records: RecordReader;
  readonly faults: FaultLog;
}

type Start = EntryAt<'start'>;

/**
 * Explains each delivery of a life beyond its first: the delivery before it asked for another one, or its process was hit
 * by a fault before it had settled.
 */
export function explainDuplicates(evidence: DuplicateEvidence): readonly Explanation[] {
  const causes = new Causes(evidence);
  const explanations: Explanation[] = [];
  for (const starts of groupBy(evidence.records.of('start'), lifeOf).values()) {
    // In the order of their claims: the reply to a claim may come so late that a later one has started before.
    const inOrder = starts.toSorted((a, b) => a.fence - b.fence);
    for (const [index, start] of inOrder.entries()) {
      const before = inOrder[index - 1];
      if (before === undefined) continue;
      explanations.push({ cause: causes.of(before, start), problem: describe(before, start) });
    }
  }
  return explanations;
}

/** What happened to deliveries, and to the processes they were with. */
class Causes {
  private readonly ends: ReadonlyMap<string, readonly EntryAt<'end'>[]>;
  private readonly releases: ReadonlyMap<string, readonly EntryAt<'event'>[]>;
  private readonly stalls: ReadonlyMap<string, readonly EntryAt<'stall'>[]>;

  constructor(private readonly evidence: DuplicateEvidence) {
    const { records } = evidence;
    this.ends = groupBy(records.of('end'), ({ by, id, fence }) => `${by} ${id} ${fence}`);
    this.releases = groupBy(
      records.of('event').filter(({ kind }) => kind === 'released'),
      ({ by, id }) => `${by} ${id}`,
    );
    this.stalls = groupBy(records.of('stall'), ({ by }) => by);
  }

  of(before: Start, next: Start): string | null {
    const end = this.ends.get(`${before.by} ${before.id} ${before.fence}`)?.[0];
    const fromMs = claimedMs(before);
    const toMs = Math.max(before.startMs, next.startMs);
    const fault = this.evidence.faults.find(before.by, fromMs, toMs);
    if (end?.how === 'threw' && next.failures > before.failures) return 'retry';
    if (end?.how === 'snoozed') return 'snooze';
    if (this.releases.has(`${before.by} ${before.id}`)) return 'released by a stop';
    if (fault !== undefined) return fault.what;
    const stalls = this.stalls.get(before.by) ?? [];
    const stall = stalls.find((each) => each.fromMs <= toMs && each.toMs >= fromMs);
    if (stall !== undefined) return stall.what;
    return next.redrives > before.redrives ? 'redrive' : null;
  }
}

/** When a delivery was claimed: a fence is the time of the claim in microseconds, or a little more. */
function claimedMs({ fence, startMs }: Start): number {
  return Math.min(startMs, Math.floor(fence / 1_000));
}

function lifeOf({ type, id, life }: Start): string {
  return `${type} ${id} ${life}`;
}

function describe(before: Start, next: Start): string {
  const first = `by ${before.by} at ${before.startMs} (fence ${before.fence}, lost ${before.lostLeases})`;
  const second = `by ${next.by} at ${next.startMs} (fence ${next.fence}, lost ${next.lostLeases})`;
  return `unexplained: ${next.type}/${next.id} was delivered ${first} and again ${second}`;
}
