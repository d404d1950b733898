import {
  type Context,
  isSpanContextValid,
  propagation,
  ROOT_CONTEXT,
  type SpanContext,
  trace,
} from '@opentelemetry/api';
import type { TaskHeaders } from '../task/task-headers.js';

/** What a task carries of the context in which it was scheduled. */
export interface CarriedContext {
  /** The span of the call that scheduled it; null when there is none. */
  readonly producer: SpanContext | null;
  /** All else, such as baggage. */
  readonly context: Context;
}

/** Reads the context that a task carries, by the propagators of the application. */
export function readCarriedContext(headers: TaskHeaders): CarriedContext {
  const carried = propagation.extract(ROOT_CONTEXT, headers);
  const producer = trace.getSpanContext(carried);
  return {
    producer: producer !== undefined && isSpanContextValid(producer) ? producer : null,
    context: trace.deleteSpan(carried),
  };
}
