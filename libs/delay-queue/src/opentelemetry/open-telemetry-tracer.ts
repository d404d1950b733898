import { trace, type Tracer, type TracerProvider } from '@opentelemetry/api';
import type {
  DeliveryTrace,
  SchedulingCall,
  SchedulingTrace,
  TaskTracer,
  TracedDelivery,
} from '../ports/task-tracer.js';
import { DeliverySpan } from './delivery-span.js';
import { SchedulingSpan } from './scheduling-span.js';

/** Name of the instrumentation, by which its spans are told from others. */
const INSTRUMENTATION = 'nestjs-delay-queue';

/** What an {@link OpenTelemetryTracer} may be given. */
export interface OpenTelemetryTracerOptions {
  /** Makes the spans. @default the global one, also when it is registered later */
  readonly tracerProvider?: TracerProvider;
}

/**
 * Traces tasks by OpenTelemetry: a span for each call that schedules, one for each delivery, linked to the former.
 *
 * Spans have the names and attributes of the semantic conventions for messaging, and some of our own, `delay_queue.*`. What
 * connects them is carried with the task by the application's propagators: `traceparent`, `tracestate`, baggage.
 *
 * @example
 * DelayQueueModule.forRoot({ connection: process.env.REDIS_URL, tracing: new OpenTelemetryTracer() })
 */
export class OpenTelemetryTracer implements TaskTracer {
  private readonly tracer: Tracer;

  constructor({ tracerProvider }: OpenTelemetryTracerOptions = {}) {
    this.tracer = (tracerProvider ?? trace).getTracer(INSTRUMENTATION);
  }

  scheduling(call: SchedulingCall): SchedulingTrace {
    return new SchedulingSpan(this.tracer, call);
  }

  running(delivery: TracedDelivery): DeliveryTrace {
    return new DeliverySpan(this.tracer, delivery);
  }
}
