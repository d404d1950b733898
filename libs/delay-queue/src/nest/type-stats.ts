import type { PartitionStats } from '../ports/task-record.js';
import { toDate } from './task-view.js';

/** Counts of one partition of a type. */
export interface PartitionCounts {
  readonly partition: number;
  readonly waiting: number;
  /** Waiting tasks whose due time has passed. */
  readonly overdue: number;
  readonly running: number;
  readonly dead: number;
  /** Done tasks whose ids are still taken. */
  readonly done: number;
  readonly paused: boolean;
  /** Due time of the first waiting task. */
  readonly nextDueAt: Date | null;
}

/** Counts of a task type, over all its partitions. */
export interface TypeStats extends Omit<PartitionCounts, 'partition'> {
  readonly type: string;
  /** True when every partition is paused. */
  readonly paused: boolean;
  readonly perPartition: readonly PartitionCounts[];
}

/** Adds up what the partitions of a type have, in their order. */
export function sumStats(type: string, partitions: readonly PartitionStats[]): TypeStats {
  const sum = (count: (stats: PartitionStats) => number) =>
    partitions.reduce((total, stats) => total + count(stats), 0);
  const dueTimes = partitions.flatMap(({ nextDueAtMs }) => (nextDueAtMs === null ? [] : [nextDueAtMs]));
  return {
    type,
    waiting: sum(({ waiting }) => waiting),
    overdue: sum(({ overdue }) => overdue),
    running: sum(({ running }) => running),
    dead: sum(({ dead }) => dead),
    done: sum(({ done }) => done),
    paused: partitions.every(({ paused }) => paused),
    nextDueAt: dueTimes.length === 0 ? null : new Date(Math.min(...dueTimes)),
    perPartition: partitions.map(({ waiting, overdue, running, dead, done, paused, nextDueAtMs }, partition) => ({
      partition,
      waiting,
      overdue,
      running,
      dead,
      done,
      paused,
      nextDueAt: toDate(nextDueAtMs),
    })),
  };
}
