import type { DeliveryEnd, DeliveryTrace } from '../../ports/task-tracer.js';
import type { TracerCalls } from './tracer-calls.js';

/** The trace of one delivery, kept from doing harm. */
export class GuardedDelivery {
  constructor(
    private readonly trace: DeliveryTrace,
    private readonly calls: TracerCalls,
  ) {}

  /** Runs the handler in the context of the trace. */
  run<Result>(handler: () => Result): Result {
    return this.calls.within(this.trace, handler);
  }

  ended(end: DeliveryEnd): void {
    this.calls.attempt(() => this.trace.ended(end));
  }
}
