import type { Clock } from '../../core/clock.js';
import type { QueueLogger } from '../../ports/queue-event.js';
import type { SchedulingCall, TaskTracer } from '../../ports/task-tracer.js';
import type { DelayedTask } from '../../task/delayed-task.js';
import { GuardedDelivery } from './guarded-delivery.js';
import { GuardedScheduling } from './guarded-scheduling.js';
import { TracerCalls } from './tracer-calls.js';

/** What a guarded tracer is made of. */
export interface GuardedTracerParts {
  readonly tracer: TaskTracer;
  /** Prefix of the queue. */
  readonly queue: string;
  readonly clock: Clock;
  readonly logger: QueueLogger;
}

/** The tracer of a queue, kept from doing harm: what it throws is logged, once an episode, and changes nothing. */
export class GuardedTracer {
  private readonly calls: TracerCalls;

  constructor(private readonly parts: GuardedTracerParts) {
    this.calls = new TracerCalls(parts.clock, parts.logger);
  }

  /**
   * Follows a call of a producer.
   *
   * @param call is made at once; its trace is null when there is none.
   */
  scheduling<Result extends object>(
    what: Pick<SchedulingCall, 'type' | 'count'>,
    call: (trace: GuardedScheduling | null) => Promise<Result>,
  ): Promise<Result> {
    const { tracer, queue } = this.parts;
    const trace = this.calls.attempt(() => tracer.scheduling({ queue, ...what })) ?? null;
    if (trace === null) return call(null);
    const guarded = new GuardedScheduling(trace, this.calls);
    return guarded.follow(() => call(guarded));
  }

  /** Begins to follow a delivery; null when the tracer does not want to, or has thrown. */
  running(task: DelayedTask<string>, latenessMs: number): GuardedDelivery | null {
    const { tracer, queue } = this.parts;
    const trace = this.calls.attempt(() => tracer.running({ queue, task, latenessMs })) ?? null;
    return trace && new GuardedDelivery(trace, this.calls);
  }
}

/** Parts of a runtime that tell a tracer what they do, when there is one. */
export interface TracedParts {
  readonly tracer?: GuardedTracer | null | undefined;
}
