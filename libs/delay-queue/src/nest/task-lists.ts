import { Injectable } from '@nestjs/common';
import type { PartitionRef } from '../core/partition.js';
import { QueueSettings } from '../options/queue-settings.js';
import type { ListableState, TaskRecord } from '../ports/task-record.js';
import { DelayQueueRuntime } from '../runtime/delay-queue-runtime.js';
import { type PageOptions, type PagePosition, readPageOptions, type TaskPage, writeCursor } from './task-page.js';
import { toTaskView } from './task-view.js';

/** What to do with one task of a walk. */
type Visit = (record: TaskRecord) => Promise<boolean>;

/** Letters that a walk reads at once: with payloads of the default limit some 25 MiB at worst. */
const STEP = 100;

/** Reads the tasks of a type over all its partitions, one partition after the other. */
@Injectable()
export class TaskLists {
  constructor(
    private readonly runtime: DelayQueueRuntime,
    private readonly settings: QueueSettings,
  ) {}

  /** The partitions of a type, once the store is ready for it. */
  async partitions(type: string): Promise<readonly PartitionRef[]> {
    await this.runtime.ready(type);
    const { partitions } = this.settings.forType(type);
    return Array.from({ length: partitions }, (_, partition) => ({ type, partition }));
  }

  /** One page, which goes over into the next partition where one has ended. */
  async page<Type extends string>(type: Type, state: ListableState, options: PageOptions): Promise<TaskPage<Type>> {
    const { limit, ...start } = readPageOptions(options, this.settings.forType(type).partitions);
    const partitions = await this.partitions(type);
    const records: TaskRecord[] = [];
    let position: PagePosition | null = start;
    while (position !== null && records.length < limit) {
      const { partition, offset }: PagePosition = position;
      const wanted = limit - records.length;
      const found = await this.runtime.store.list({ type, partition }, { state, offset, limit: wanted });
      records.push(...found);
      if (found.length === wanted) position = { partition, offset: offset + wanted };
      else position = partition + 1 < partitions.length ? { partition: partition + 1, offset: 0 } : null;
    }
    return {
      items: records.map((record) => toTaskView(type, record)),
      nextCursor: position === null ? null : writeCursor(position),
    };
  }

  /**
   * Visits the dead letters that are there now, oldest first and in bounded steps; each must leave the list by its visit.
   *
   * @param visit tells whether the task counts.
   * @returns how many counted.
   */
  async walkDead(type: string, visit: Visit): Promise<number> {
    let counted = 0;
    for (const ref of await this.partitions(type)) {
      // Letters that come in meanwhile stand behind these, so a handler that fails at once cannot keep the walk going.
      let left = (await this.runtime.store.stats(ref)).dead;
      while (left > 0) {
        const step = await this.runtime.store.list(ref, { state: 'dead', offset: 0, limit: Math.min(STEP, left) });
        if (step.length === 0) break;
        left -= step.length;
        const answers = await Promise.all(step.map(visit));
        counted += answers.filter(Boolean).length;
      }
    }
    return counted;
  }
}
