import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../core/clock.js';
import { InvalidArgumentError, InvalidPayloadError } from '../core/errors.js';
import { assertTaskId, assertTaskType, newLife } from '../core/ids.js';
import { partitionOf } from '../core/partition.js';
import { QueueSettings } from '../options/queue-settings.js';
import type { Mutation, MutationResult } from '../ports/mutation.js';
import { DelayQueueRuntime } from '../runtime/delay-queue-runtime.js';
import type { PayloadOf, TaskType } from '../task/delayed-tasks.js';
import { encodeEnvelope } from '../task/envelope.js';
import { encodePayload } from '../task/payload.js';
import { narrowStatus } from './narrow-status.js';
import { PartialScheduleError } from './partial-schedule-error.js';
import {
  type ReadScheduleOptions,
  readScheduleItem,
  readScheduleOptions,
  readScheduleTime,
} from './read-schedule-options.js';
import type {
  CancelResult,
  RescheduleResult,
  ScheduleItem,
  ScheduleOptions,
  ScheduleResult,
  ScheduleTime,
} from './schedule-options.js';
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
  constructor(
    private readonly runtime: DelayQueueRuntime,
    private readonly settings: QueueSettings,
    @Inject(QUEUE_CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Schedules a task. Calling it again with the same id is safe: the second call answers `duplicate`.
   *
   * @throws InvalidArgumentError naming the option: `delay`, `at`, `id`, `onDuplicate`, `maxRetries`, `durability`, or
   * an unknown one.
   * @throws InvalidPayloadError when the payload is not plain JSON data, or too large.
   * @example
   * const { id, status } = await delayQueue.schedule('order_timeout', { orderId: '42' }, { delay: '30m' });
   */
  async schedule<Type extends TaskType>(
    type: Type,
    payload: PayloadOf<Type>,
    options: ScheduleOptions,
  ): Promise<ScheduleResult> {
    assertTaskType(type);
    const read = readScheduleOptions(options, { path: '', nowMs: this.clock.nowMs() });
    const mutation = this.scheduleMutation(read, this.encode(type, payload));
    return toScheduleResult(read.id, await this.runtime.submit(type, mutation, read.durability));
  }

  /**
   * Schedules several tasks of one type, and answers in their order. All are checked before the first is written.
   *
   * @throws InvalidArgumentError, InvalidPayloadError naming the item: `items[3].delay`.
   * @throws PartialScheduleError when the store failed for some, with the results of the others.
   */
  async scheduleMany<Type extends TaskType>(
    type: Type,
    items: readonly ScheduleItem<PayloadOf<Type>>[],
  ): Promise<readonly ScheduleResult[]> {
    assertTaskType(type);
    if (!Array.isArray(items)) throw new InvalidArgumentError('items', 'must be an array');
    const nowMs = this.clock.nowMs();
    // A copy without holes, which `map` would pass over.
    const all = [...items];
    const reads = all.map((item, index) => readScheduleItem(item, { path: `items[${index}]`, nowMs }));
    const payloads = all.map((item, index) => this.encodeItem(type, item.payload, index));
    const settled = await Promise.allSettled(
      reads.map((read, index) =>
        this.runtime.submit(type, this.scheduleMutation(read, payloads[index] ?? 'null'), read.durability),
      ),
    );
    const results = settled.map((answer, index) => toItemResult(reads[index]?.id ?? '', answer));
    if (results.some((result) => result instanceof Error)) throw new PartialScheduleError(results);
    return results as ScheduleResult[];
  }

  /**
   * Moves a waiting task to exactly this time, earlier or later; its failures stay counted.
   *
   * @throws InvalidArgumentError
   */
  async reschedule(type: TaskType, id: string, time: ScheduleTime): Promise<RescheduleResult> {
    assertTaskType(type);
    assertTaskId(id);
    const due = readScheduleTime(time, { path: '', nowMs: this.clock.nowMs() });
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
   * @throws InvalidArgumentError
   */
  async cancel(type: TaskType, id: string): Promise<CancelResult> {
    assertTaskType(type);
    assertTaskId(id);
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

  private encode(type: string, payload: unknown): string {
    return encodePayload(payload, this.settings.forType(type).payloadLimitBytes);
  }

  private encodeItem(type: string, payload: unknown, index: number): string {
    try {
      return this.encode(type, payload);
    } catch (error) {
      if (!(error instanceof InvalidPayloadError)) throw error;
      const problem = error.message.slice(`${error.field}: `.length);
      throw new InvalidPayloadError(`items[${index}].${error.field}`, problem, { cause: error.cause });
    }
  }

  private scheduleMutation({ id, due, onDuplicate, overrides }: ReadScheduleOptions, payloadJson: string): Mutation {
    const envelope = encodeEnvelope({ payloadJson, life: newLife(this.clock.nowMs()), overrides });
    return { kind: 'schedule', id, due, envelope, onDuplicate };
  }
}

function toScheduleResult(id: string, result: MutationResult): ScheduleResult {
  const status = narrowStatus(result, ['created', 'duplicate', 'replaced']);
  if (result.state === 'none') throw new Error(`The store answered '${status}' and has no task.`);
  const { state, dueAtMs, replicas } = result;
  return { id, status, state, dueAt: toDate(dueAtMs), ...(replicas !== undefined && { replicas }) };
}

function toItemResult(id: string, answer: PromiseSettledResult<MutationResult>): ScheduleResult | Error {
  if (answer.status === 'fulfilled') return toScheduleResult(id, answer.value);
  return answer.reason instanceof Error ? answer.reason : new Error(String(answer.reason));
}

function toRescheduleResult(result: MutationResult): RescheduleResult {
  const status = narrowStatus(result, ['rescheduled', 'running', 'not_found']);
  return { status, state: result.state, dueAt: toDate(result.dueAtMs) };
}
