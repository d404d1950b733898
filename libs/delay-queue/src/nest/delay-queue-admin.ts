import { Injectable } from '@nestjs/common';
import { InvalidArgumentError } from '../core/errors.js';
import { assertTaskId, assertTaskType } from '../core/ids.js';
import { DelayQueueRuntime } from '../runtime/delay-queue-runtime.js';
import type { TaskStateOrNone } from '../task/task-state.js';
import { narrowStatus } from './narrow-status.js';
import { TaskLists } from './task-lists.js';
import type { PageOptions, TaskPage } from './task-page.js';
import { toDate } from './task-view.js';
import { sumStats, type TypeStats } from './type-stats.js';

/** What became of a dead letter that was to be brought back. */
export interface RedriveResult {
  readonly id: string;
  /** `running`: it runs already. `not_found`: no dead letter has this id. */
  readonly status: 'redriven' | 'running' | 'not_found';
  readonly state: TaskStateOrNone;
  readonly dueAt: Date | null;
}

/** What became of a dead letter that was to be removed. */
export interface PurgeResult {
  readonly status: 'purged' | 'not_found';
  readonly state: TaskStateOrNone;
}

/**
 * Looks into the queue, and intervenes: counts, lists, dead letters, pause.
 *
 * Types that this process knows nothing of are taken with the default settings. Lists are read page by page, and tasks that
 * come and go between two pages may be missed or seen twice. Every method rejects with a `StoreUnavailableError` or
 * `StoreRejectedError` when the store is away or refuses.
 */
@Injectable()
export class DelayQueueAdmin {
  /** @internal Made by the module. */
  constructor(
    private readonly runtime: DelayQueueRuntime,
    private readonly lists: TaskLists,
  ) {}

  /**
   * Counts a type's tasks by state.
   *
   * @throws InvalidArgumentError
   */
  async stats(type: string): Promise<TypeStats> {
    assertTaskType(type);
    const partitions = await this.lists.partitions(type);
    return sumStats(type, await Promise.all(partitions.map((ref) => this.runtime.store.stats(ref))));
  }

  /**
   * Lists waiting tasks, in each partition the next due first.
   *
   * @throws InvalidArgumentError
   */
  async listWaiting<Type extends string>(type: Type, options: PageOptions = {}): Promise<TaskPage<Type>> {
    assertTaskType(type);
    return this.lists.page(type, 'waiting', options);
  }

  /**
   * Lists running tasks, in each partition the one whose lease ends first.
   *
   * @throws InvalidArgumentError
   */
  async listRunning<Type extends string>(type: Type, options: PageOptions = {}): Promise<TaskPage<Type>> {
    assertTaskType(type);
    return this.lists.page(type, 'running', options);
  }

  /**
   * Lists dead letters, in each partition the oldest first.
   *
   * @throws InvalidArgumentError
   */
  async listDead<Type extends string>(type: Type, options: PageOptions = {}): Promise<TaskPage<Type>> {
    assertTaskType(type);
    return this.lists.page(type, 'dead', options);
  }

  /**
   * Brings a dead letter back: due now, with all its retries, and one more on its count of redrives.
   *
   * With several ids, answers in their order. When a call fails the whole rejects; calling it again is safe.
   *
   * @throws InvalidArgumentError
   */
  redrive(type: string, id: string): Promise<RedriveResult>;
  redrive(type: string, ids: readonly string[]): Promise<readonly RedriveResult[]>;
  async redrive(type: string, ids: string | readonly string[]): Promise<RedriveResult | readonly RedriveResult[]> {
    assertTaskType(type);
    if (!Array.isArray(ids)) {
      assertTaskId(ids);
      return this.redriveOne(type, ids);
    }
    const all: readonly unknown[] = ids;
    return Promise.all(all.map(readId).map((id) => this.redriveOne(type, id)));
  }

  /**
   * Brings back all dead letters that are there now, in bounded steps.
   *
   * @returns how many came back. When a call fails in between it rejects; calling it again goes on with the rest.
   * @throws InvalidArgumentError
   */
  async redriveAll(type: string): Promise<number> {
    assertTaskType(type);
    return this.lists.walkDead(type, async ({ id }) => (await this.redriveOne(type, id)).status === 'redriven');
  }

  /**
   * Removes a dead letter for good.
   *
   * @throws InvalidArgumentError
   */
  async purgeDead(type: string, id: string): Promise<PurgeResult> {
    assertTaskType(type);
    assertTaskId(id);
    const result = await this.runtime.submit(type, { kind: 'purgeDead', id });
    return { status: narrowStatus(result, ['purged', 'not_found']), state: result.state };
  }

  /**
   * Removes all dead letters that are there now, in bounded steps.
   *
   * @returns how many were removed. When a call fails in between it rejects; calling it again goes on with the rest.
   * @throws InvalidArgumentError
   */
  async purgeAllDead(type: string): Promise<number> {
    assertTaskType(type);
    return this.lists.walkDead(type, async ({ id }) => (await this.purgeDead(type, id)).status === 'purged');
  }

  /**
   * Stops a type's tasks from being started, in every process, until {@link resume}; those that run go on.
   *
   * @throws InvalidArgumentError
   */
  async pause(type: string): Promise<void> {
    await this.setPaused(type, true);
  }

  /**
   * Lets a paused type go on; what fell due meanwhile starts at once.
   *
   * @throws InvalidArgumentError
   */
  async resume(type: string): Promise<void> {
    await this.setPaused(type, false);
  }

  /**
   * Loads every task of a type that the ledger has and the store has not, as it is done by itself after a loss.
   *
   * Safe at any time; tasks that the store has already stay as they are.
   *
   * @returns how many tasks of the ledger this process went through. Other processes may help.
   * @throws InvalidArgumentError when the queue has no ledger.
   * @throws LedgerUnavailableError
   */
  async rebuild(type: string): Promise<number> {
    assertTaskType(type);
    const { books } = this.runtime;
    if (books === null || !books.covers(type)) throw new InvalidArgumentError('type', `'${type}' has no ledger`);
    return books.rebuild(type);
  }

  private async setPaused(type: string, paused: boolean): Promise<void> {
    assertTaskType(type);
    const partitions = await this.lists.partitions(type);
    await Promise.all(partitions.map((ref) => this.runtime.store.setPaused(ref, paused)));
  }

  private async redriveOne(type: string, id: string): Promise<RedriveResult> {
    const result = await this.runtime.submit(type, { kind: 'redrive', id });
    const status = narrowStatus(result, ['redriven', 'running', 'not_found']);
    return { id, status, state: result.state, dueAt: toDate(result.dueAtMs) };
  }
}

function readId(id: unknown, index: number): string {
  assertTaskId(id, `ids[${index}]`);
  return id;
}
