import { type Span, SpanStatusCode } from '@opentelemetry/api';
import { errorText } from '../task/error-text.js';
import { SpanAttribute } from './span-attributes.js';

/** What is known of a failure. */
export interface Failure {
  /** What was thrown; undefined when nothing was. */
  readonly error: unknown;
  /** `error.type` where the error has no name. */
  readonly type: string;
  /** Describes the failure where there is no error. */
  readonly message?: string;
}

/** Says on a span that what it is about has failed. */
export function recordFailure(span: Span, { error, type, message }: Failure): void {
  if (error === undefined) {
    span.setAttribute(SpanAttribute.ERROR_TYPE, type);
    span.setStatus({ code: SpanStatusCode.ERROR, ...(message !== undefined && { message }) });
    return;
  }
  const exception = error instanceof Error ? error : errorText(error);
  span.recordException(exception);
  span.setAttribute(SpanAttribute.ERROR_TYPE, error instanceof Error ? nameOf(error, type) : type);
  span.setStatus({
    code: SpanStatusCode.ERROR,
    message: exception instanceof Error ? String(exception.message) : exception,
  });
}

/** Anything may stand in `name`, whatever its type says. */
function nameOf({ name }: { readonly name: unknown }, otherwise: string): string {
  return typeof name === 'string' && name !== '' ? name : otherwise;
}
