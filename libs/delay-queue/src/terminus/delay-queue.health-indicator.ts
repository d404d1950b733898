import { Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';
import { DelayQueueHealth } from '../nest/delay-queue-health.js';
import { getDelayQueueToken } from '../nest/get-delay-queue-token.js';
import { errorText } from '../task/error-text.js';

/**
 * The queue's health for `@nestjs/terminus`: down when store calls fail and none has completed for 10 s.
 *
 * Provide it in the module that imports `TerminusModule`.
 *
 * @example
 * @Get('health')
 * @HealthCheck()
 * check() {
 *   return this.health.check([
 *     () => this.delayQueue.isHealthy('delay-queue'),
 *     () => this.delayQueue.isHealthy('reports', { queue: 'reports' }),
 *   ]);
 * }
 */
@Injectable()
export class DelayQueueHealthIndicator {
  constructor(
    private readonly modules: ModuleRef,
    private readonly indicators: HealthIndicatorService,
  ) {}

  /**
   * @param key under which the result stands.
   * @param options `queue` names the queue to ask, where the application has several.
   */
  isHealthy<const Key extends string = 'delay-queue'>(
    key: Key = 'delay-queue' as Key,
    options: { readonly queue?: string } = {},
  ): HealthIndicatorResult<Key> {
    const { status, error, ...details } = this.healthOf(options.queue).check();
    const indicator = this.indicators.check(key);
    if (status === 'up') return indicator.up(details);
    const message = error === null ? 'no store call has completed' : firstLine(errorText(error));
    return indicator.down({ ...details, message });
  }

  private healthOf(queue: string | undefined): DelayQueueHealth {
    return this.modules.get<DelayQueueHealth>(getDelayQueueToken(queue, DelayQueueHealth), { strict: false });
  }
}

/** A stack does not belong in an answer to the outside. */
function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
