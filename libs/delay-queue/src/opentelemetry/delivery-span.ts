import { type Context, context, type Span, SpanKind, trace, type Tracer } from '@opentelemetry/api';
import type { DeliveryEnd, DeliveryTrace, TracedDelivery } from '../ports/task-tracer.js';
import { readCarriedContext } from './carried-context.js';
import { OPERATIONS, operationAttributes } from './operation-attributes.js';
import { recordFailure } from './record-failure.js';
import { SpanAttribute } from './span-attributes.js';

/**
 * The span of one delivery.
 *
 * It begins a trace, linked to the span of the call that scheduled the task: between the two may lie days, for which no
 * trace is kept open, and the call may have scheduled many tasks.
 */
export class DeliverySpan implements DeliveryTrace {
  private readonly span: Span;
  private readonly context: Context;

  constructor(tracer: Tracer, { queue, task, latenessMs }: TracedDelivery) {
    const { producer, context: carried } = readCarriedContext(task.headers);
    const options = {
      kind: SpanKind.CONSUMER,
      links: producer === null ? [] : [{ context: producer }],
      attributes: {
        ...operationAttributes(OPERATIONS.process, { queue, type: task.type }),
        [SpanAttribute.MESSAGING_MESSAGE_ID]: task.id,
        [SpanAttribute.DELIVERY_NUMBER]: task.deliveries,
        [SpanAttribute.FAILURES]: task.failures,
        [SpanAttribute.LATENESS_MS]: latenessMs,
      },
    };
    this.span = tracer.startSpan(`${OPERATIONS.process.name} ${task.type}`, options, carried);
    this.context = trace.setSpan(carried, this.span);
  }

  within(work: () => void): void {
    context.with(this.context, work);
  }

  ended(end: DeliveryEnd): void {
    const outcome = end.kind.replace(' ', '_');
    this.span.setAttribute(SpanAttribute.OUTCOME, outcome);
    this.record(end, outcome);
    this.span.end();
  }

  private record(end: DeliveryEnd, outcome: string): void {
    switch (end.kind) {
      case 'completed':
      case 'skipped':
      case 'released':
        return;
      case 'snoozed':
      case 'version unknown':
        this.span.setAttribute(SpanAttribute.DELAY_MS, end.delayMs);
        return;
      case 'retried':
        this.span.setAttribute(SpanAttribute.DELAY_MS, end.delayMs);
        recordFailure(this.span, { error: end.error, type: outcome });
        return;
      case 'buried':
        this.span.setAttribute(SpanAttribute.REASON, end.reason);
        recordFailure(this.span, { error: end.error, type: outcome, message: end.reason });
        return;
      case 'lease lost':
        recordFailure(this.span, {
          error: undefined,
          type: outcome,
          message: 'another process has taken the task over',
        });
        return;
      default:
        end satisfies never;
    }
  }
}
