import {
  type ArgumentsHost,
  type CallHandler,
  type CanActivate,
  Catch,
  type ExceptionFilter,
  type ExecutionContext,
  type NestInterceptor,
  type PipeTransform,
} from '@nestjs/common';
import type { Observable } from 'rxjs';
import { nextEvent } from './next-event.js';
import type { TestApp } from './test-apps.js';

/** Settings of a handler that is tried twice, without a wait between. */
export const QUICK = { maxRetries: 1, backoff: { type: 'fixed', delay: 1, jitter: 0 } } as const;

/** Schedules the task `x` of the type `t`, and waits for the first event of a kind about it. */
export async function expectFirst<Kind extends 'completed' | 'retried' | 'buried' | 'snoozed'>(
  { events, producer }: TestApp,
  kind: Kind,
  payload: unknown = { orderId: '1' },
) {
  const event = nextEvent(events, kind, 'x');
  await producer.schedule('t', payload, { delay: 0, id: 'x' });
  return event;
}

/** A guard of one function. */
export const guard = (canActivate: CanActivate['canActivate']): CanActivate => ({ canActivate });

/** An interceptor that changes what comes out of the handler. */
export const intercept = (change: (result$: Observable<unknown>) => Observable<unknown>): NestInterceptor => ({
  intercept: (_context: ExecutionContext, next: CallHandler) => change(next.handle()),
});

/** A pipe of one function. */
export const pipe = (transform: PipeTransform['transform']): PipeTransform => ({ transform });

/** A filter of one function, for everything that is thrown. */
export function answering(answer: (error: unknown, host: ArgumentsHost) => unknown): ExceptionFilter {
  @Catch()
  class Answering implements ExceptionFilter {
    catch(error: unknown, host: ArgumentsHost): unknown {
      return answer(error, host);
    }
  }
  return new Answering();
}
