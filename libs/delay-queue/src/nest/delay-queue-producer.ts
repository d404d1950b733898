import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../core/clock.js';
import { assertTaskId, assertTaskType, isName } from '../core/ids.js';
import { partitionOf } from '../core/partition.js';
import { QueueSettings } from '../options/queue-settings.js';
import type { MutationResult } from '../ports/mutation.js';
import { DelayQueueRuntime } from '../runtime/delay-queue-runtime.js';
import type { GuardedScheduling } from '../runtime/tracing/guarded-scheduling.js';
import type { PayloadInputOf, TaskType } from '../task/delayed-tasks.js';
import { LedgerScheduling } from './ledger-scheduling.js';
import { narrowStatus } from './narrow-status.js';
import { readScheduleTime } from './read-schedule-options.js';
import type {
  CancelResult,
  RescheduleResult,
  ScheduleItem,
  ScheduleOptions,
  ScheduleResult,
  ScheduleTime,
} from './schedule-options.js';
import type { CancelOptions, StagedResult, StageOptions, StageTime } from './staged-result.js';
import { takeTransaction } from './take-transaction.js';
import { TaskScheduling } from './task-scheduling.js';
import { type TaskView, toDate, toTaskView } from './task-view.js';
import { QUEUE_CLOCK } from './tokens.js';

/**
 * Schedules tasks, and changes those that wait.
 *
 * Arguments are checked before anything is written: `InvalidArgumentError` and `InvalidPayloadError` name the field.
 * Every method rejects with a `StoreUnavailableError` when the store does not answer in time, its `outcome` saying whether
 * the call can have been applied, with a `StoreRejectedError` when the store refuses, and with a `QueueClosedError` after
 * the application has shut down. Calls for one task are applied in the order in which they were made.
 *
 * @example
 * await this.delayQueue.schedule('order_timeout', { orderId }, { delay: '30m', id: `order:${orderId}` });
 */
@Injectable()
export class DelayQueueProducer {
  private readonly untraced: TaskScheduling;

  /** @internal Made by the module. */
  constructor(
    private readonly runtime: DelayQueueRuntime,
    private readonly settings: QueueSettings,
    @Inject(QUEUE_CLOCK) private readonly clock: Clock,
    private readonly ledger: LedgerScheduling,
  ) {
    this.untraced = this.traced(null);
  }

  /**
   * Schedules a task. Calling it again with the same id is safe: the second call answers `duplicate`.
   *
   * @throws InvalidArgumentError naming the option: `delay`, `at`, `id`, `onDuplicate`, `maxRetries`, `headers`,
   * `durability`, or an unknown one.
   * @throws InvalidPayloadError when the payload is not plain JSON data, too large, or does not fit the type's schema.
   * @example
   * const { id, status } = await delayQueue.schedule('order_timeout', { orderId: '42' }, { delay: '30m' });
   */
  schedule<Type extends TaskType>(
    type: Type,
    payload: PayloadInputOf<Type>,
    options: ScheduleOptions,
  ): Promise<ScheduleResult>;
  /**
   * Schedules a task in a transaction of the application, in a queue with a `ledger`.
   *
   * @throws InvalidArgumentError, InvalidPayloadError; what the database says is let through as it is.
   */
  schedule<Type extends TaskType>(
    type: Type,
    payload: PayloadInputOf<Type>,
    options: StageOptions,
  ): Promise<StagedResult>;
  schedule(
    type: TaskType,
    payload: unknown,
    options: ScheduleOptions | StageOptions,
  ): Promise<ScheduleResult | StagedResult> {
    const { tracer } = this.runtime;
    if (tracer === null || !isName(type)) return this.untraced.one(type, payload, options);
    return tracer.scheduling({ type, count: null }, (trace) => this.traced(trace).one(type, payload, options));
  }

  /**
   * Schedules several tasks of one type, and answers in their order. All are checked before the first is written.
   *
   * @throws InvalidArgumentError, InvalidPayloadError naming the item: `items[3].delay`.
   * @throws PartialScheduleError when the store failed for some, with the results of the others.
   */
  scheduleMany<Type extends TaskType>(
    type: Type,
    items: readonly ScheduleItem<PayloadInputOf<Type>>[],
  ): Promise<readonly ScheduleResult[]> {
    const { tracer } = this.runtime;
    if (tracer === null || !isName(type) || !Array.isArray(items)) return this.untraced.many(type, items);
    return tracer.scheduling({ type, count: items.length }, (trace) => this.traced(trace).many(type, items));
  }

  /**
   * Moves a waiting task to exactly this time, earlier or later; its failures stay counted.
   *
   * With `tx`, in a transaction: see the ledger's documentation.
   *
   * @throws InvalidArgumentError
   */
  async reschedule(type: TaskType, id: string, time: ScheduleTime | StageTime): Promise<RescheduleResult> {
    assertTaskType(type);
    assertTaskId(id);
    const { tx, rest } = takeTransaction(time);
    const due = readScheduleTime(rest, this.clock.nowMs());
    if (tx !== null) return this.ledger.reschedule({ type, id }, due, tx);
    return toRescheduleResult(await this.runtime.submit(type, { kind: 'reschedule', id, due }));
  }

  /**
   * Makes a waiting task due now. For a dead one use `DelayQueueAdmin.redrive`.
   *
   * @throws InvalidArgumentError
   */
  async runNow(type: TaskType, id: string): Promise<RescheduleResult> {
    assertTaskType(type);
    assertTaskId(id);
    return toRescheduleResult(await this.runtime.submit(type, { kind: 'runNow', id }));
  }

  /**
   * Removes a task that is waiting or dead, and frees its id. One that is running goes to its end, retries included.
   *
   * With `tx`, in a transaction: then the ledger alone decides, and a task that is running at the commit cannot be
   * completed in a transaction any more.
   *
   * @throws InvalidArgumentError
   */
  async cancel(type: TaskType, id: string, options: CancelOptions | Record<string, never> = {}): Promise<CancelResult> {
    assertTaskType(type);
    assertTaskId(id);
    const { tx } = takeTransaction(options);
    if (tx !== null) return this.ledger.cancel(type, id, tx);
    const result = await this.runtime.submit(type, { kind: 'cancel', id });
    return { status: narrowStatus(result, ['cancelled', 'running', 'not_found']), state: result.state };
  }

  /**
   * Reads a task, or null when nothing is known under the id.
   *
   * @throws InvalidArgumentError
   */
  async get<Type extends TaskType>(type: Type, id: string): Promise<TaskView<Type> | null> {
    assertTaskType(type);
    assertTaskId(id);
    await this.runtime.ready(type);
    const partition = partitionOf(id, this.settings.forType(type).partitions);
    const record = await this.runtime.store.get({ type, partition }, id);
    return record === null ? null : toTaskView(type, record);
  }

  private traced(trace: GuardedScheduling | null): TaskScheduling {
    const { runtime, settings, clock, ledger } = this;
    return new TaskScheduling({ runtime, settings, clock, ledger, trace });
  }
}

function toRescheduleResult(result: MutationResult): RescheduleResult {
  const status = narrowStatus(result, ['rescheduled', 'running', 'not_found']);
  return { status, state: result.state, dueAt: toDate(result.dueAtMs) };
}
