import { type Context, context, propagation, type Span, SpanKind, trace, type Tracer } from '@opentelemetry/api';
import type { SchedulingCall, SchedulingStatus, SchedulingTrace, TaskToCarry } from '../ports/task-tracer.js';
import type { TaskHeaders } from '../task/task-headers.js';
import { readCarriedContext } from './carried-context.js';
import { OPERATIONS, operationAttributes } from './operation-attributes.js';
import { recordFailure } from './record-failure.js';
import { SpanAttribute } from './span-attributes.js';

const NOTHING: TaskHeaders = {};

/** The span of one call of a producer; its context is what the tasks of the call carry. */
export class SchedulingSpan implements SchedulingTrace {
  private readonly span: Span;
  private readonly context: Context;
  private readonly isBatch: boolean;
  /** The same for all tasks of the call. */
  private carried: TaskHeaders | null = null;

  constructor(tracer: Tracer, call: SchedulingCall) {
    const parent = context.active();
    const attributes = operationAttributes(OPERATIONS.schedule, call);
    if (call.count !== null) attributes[SpanAttribute.MESSAGING_BATCH_MESSAGE_COUNT] = call.count;
    this.isBatch = call.count !== null;
    const name = `${OPERATIONS.schedule.name} ${call.type}`;
    this.span = tracer.startSpan(name, { kind: SpanKind.PRODUCER, attributes }, parent);
    this.context = trace.setSpan(parent, this.span);
  }

  within(work: () => void): void {
    context.with(this.context, work);
  }

  headersFor({ id, headers }: TaskToCarry): TaskHeaders {
    if (!this.isBatch) this.span.setAttribute(SpanAttribute.MESSAGING_MESSAGE_ID, id);
    const { producer } = readCarriedContext(headers);
    // A context that the producer itself has given to the task stays, and the span links to it.
    if (producer !== null) {
      this.span.addLink({ context: producer });
      return NOTHING;
    }
    this.carried ??= this.inject();
    return this.carried;
  }

  succeeded(status: SchedulingStatus | null): void {
    if (status !== null) this.span.setAttribute(SpanAttribute.OUTCOME, status);
    this.span.end();
  }

  failed(error: unknown): void {
    recordFailure(this.span, { error, type: '_OTHER' });
    this.span.end();
  }

  private inject(): TaskHeaders {
    const carrier: Record<string, string> = {};
    propagation.inject(this.context, carrier);
    return carrier;
  }
}
