import { type CallHandler, type ExecutionContext, Injectable, Logger, type NestInterceptor } from '@nestjs/common';
import { DelayQueueContext } from 'nestjs-delay-queue';
import { finalize, type Observable } from 'rxjs';

/** Writes down how long the deliveries of tasks take, whether they end well or not. */
@Injectable()
export class TaskTimingInterceptor implements NestInterceptor {
  private readonly logger = new Logger(TaskTimingInterceptor.name);

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { task } = DelayQueueContext.of(context);
    const startedMs = performance.now();
    return next.handle().pipe(
      finalize(() => {
        const tookMs = Math.round(performance.now() - startedMs);
        this.logger.debug(`${task.type} ${task.id}, delivery ${task.deliveries}: ${tookMs} ms`);
      }),
    );
  }
}
