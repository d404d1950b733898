import { expect } from '@jest/globals';
import {
  type DelayQueueError,
  InvalidArgumentError,
  InvalidPayloadError,
} from '../../../libs/delay-queue/src/core/errors.js';
import { VirtualClock } from '../../../libs/delay-queue/src/core/virtual-clock.js';
import { MemoryTaskStore } from '../../../libs/delay-queue/src/memory/memory-task-store.js';
import { DelayQueueProducer } from '../../../libs/delay-queue/src/nest/delay-queue-producer.js';
import { LedgerScheduling } from '../../../libs/delay-queue/src/nest/ledger-scheduling.js';
import type { ScheduleOptions } from '../../../libs/delay-queue/src/nest/schedule-options.js';
import type { QueueOptions } from '../../../libs/delay-queue/src/options/queue-options.js';
import { QueueSettings } from '../../../libs/delay-queue/src/options/queue-settings.js';
import type { QueueEvent } from '../../../libs/delay-queue/src/ports/queue-event.js';
import { DelayQueueRuntime } from '../../../libs/delay-queue/src/runtime/delay-queue-runtime.js';

/** The task type of these tests. */
export const TYPE = 'order_timeout';

/** Where the clock of a fixture stands. */
export const NOON = Date.UTC(2025, 0, 1, 12);

/** What a fixture may be made of. */
export interface ProducerFixtureParts {
  readonly options?: QueueOptions;
  readonly clock?: VirtualClock;
  readonly store?: MemoryTaskStore;
}

/** A producer over the runtime and the memory store, without a Nest application; its clock stands still. */
export class ProducerFixture {
  readonly store: MemoryTaskStore;
  readonly events: QueueEvent[] = [];
  readonly runtime: DelayQueueRuntime;
  readonly producer: DelayQueueProducer;

  constructor({ options = {}, clock = new VirtualClock(NOON), store }: ProducerFixtureParts = {}) {
    const settings = new QueueSettings(options);
    this.store = store ?? new MemoryTaskStore({ clock });
    this.runtime = new DelayQueueRuntime({
      store: this.store,
      settings,
      clock,
      logger: { log: () => undefined, warn: () => undefined, error: () => undefined },
      observers: [{ notify: (event) => this.events.push(event) }],
    });
    this.producer = new DelayQueueProducer(
      this.runtime,
      settings,
      clock,
      new LedgerScheduling(this.runtime, settings, clock),
    );
  }

  /** Schedules with arguments that the compiler would refuse. */
  schedule(payload: unknown, options: unknown): Promise<unknown> {
    return this.producer.schedule(TYPE, payload, options as ScheduleOptions);
  }

  async expectNothingWritten(): Promise<void> {
    expect(this.events).toEqual([]);
    const stats = await this.store.stats({ type: TYPE, partition: 0 });
    expect({ ...stats, nowUs: 0 }).toEqual({
      nowUs: 0,
      waiting: 0,
      overdue: 0,
      running: 0,
      dead: 0,
      done: 0,
      paused: false,
      nextDueAtMs: null,
    });
  }
}

/** The typed error that a call rejects with. */
export async function rejection(promise: Promise<unknown>): Promise<DelayQueueError & { field: string }> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof InvalidArgumentError || error instanceof InvalidPayloadError) return error;
  throw new Error('expected a typed error', { cause: error });
}
