import type { DelayedTask } from '../task/delayed-task.js';
import type { TaskHeaders } from '../task/task-headers.js';
import type { QueueEvent } from './queue-event.js';

/** A call of `schedule` or `scheduleMany`. */
export interface SchedulingCall {
  /** Prefix of the queue. */
  readonly queue: string;
  readonly type: string;
  /** How many tasks the call has: those of `scheduleMany`; null for `schedule`, which has one. */
  readonly count: number | null;
}

/** A task that is about to be written. */
export interface TaskToCarry {
  readonly id: string;
  /** What the producer has given. */
  readonly headers: TaskHeaders;
}

/** What became of the task of `schedule`. */
export type SchedulingStatus = 'created' | 'duplicate' | 'replaced' | 'staged';

/** Follows one call of a producer. Exactly one of {@link succeeded} and {@link failed} is called, once, at its end. */
export interface SchedulingTrace {
  /** Calls the function once, at once, in the context of the trace. */
  within(work: () => void): void;
  /** What a task of the call carries to its handler, beside its own headers, which win. */
  headersFor(task: TaskToCarry): TaskHeaders;
  /** @param status null for `scheduleMany`. */
  succeeded(status: SchedulingStatus | null): void;
  failed(error: unknown): void;
}

/** A task that is about to be handled. */
export interface TracedDelivery {
  /** Prefix of the queue. */
  readonly queue: string;
  readonly task: DelayedTask<string>;
  /** Time since it was due, by the store's clock. */
  readonly latenessMs: number;
}

/** How a delivery ended in this process; the store has not confirmed it yet. */
export type DeliveryEnd = Extract<
  QueueEvent,
  {
    kind: 'completed' | 'skipped' | 'retried' | 'snoozed' | 'version unknown' | 'released' | 'buried' | 'lease lost';
  }
>;

/** Follows one delivery of a task. */
export interface DeliveryTrace {
  /** Calls the function, which runs the handler, once, at once, in the context of the trace. */
  within(work: () => void): void;
  /** The outcome is decided. After a time-out, or without its lease, the handler may still be running. */
  ended(end: DeliveryEnd): void;
}

/**
 * Follows tasks from the call that schedules them to the handlers that run them; `OpenTelemetryTracer` of
 * `nestjs-delay-queue/opentelemetry` is one.
 *
 * Nothing waits for it, and what it throws changes nothing but the log.
 */
export interface TaskTracer {
  /** A producer calls; null when the call is not to be followed. */
  scheduling(call: SchedulingCall): SchedulingTrace | null;
  /** A handler gets a task, whose payload has still to be checked; null when the delivery is not to be followed. */
  running(delivery: TracedDelivery): DeliveryTrace | null;
}
