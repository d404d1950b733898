import type { Backoff } from '../task/retry-policy.js';
import type { ResolvedTypeOptions } from './resolved-options.js';

/**
 * The time in which a task may come up again and again before it is done or dead, in milliseconds: the waits between its
 * tries at their longest, as many tries as its handler's time limit allows, and the leases that may be lost in between.
 *
 * How long a handler without a time limit runs cannot be known, nor how often it snoozes.
 */
export function retryHorizonMs(settings: ResolvedTypeOptions): number {
  const { backoff, maxRetries, handlerTimeoutMs, leaseMs, maxLostLeases } = settings;
  return longestWaitsMs(backoff, maxRetries) + (maxRetries + 1) * (handlerTimeoutMs ?? 0) + maxLostLeases * leaseMs;
}

function longestWaitsMs(backoff: Backoff, maxRetries: number): number {
  switch (backoff.type) {
    case 'exponential': {
      const { baseMs, maxMs } = backoff;
      // So many waits are shorter than the longest one; they add up as 1 + 2 + 4 … do.
      const rising = Math.min(maxRetries, Math.ceil(Math.log2(maxMs / baseMs)));
      return baseMs * (2 ** rising - 1) + (maxRetries - rising) * maxMs;
    }
    case 'fixed':
      return maxRetries * backoff.delayMs;
    case 'custom':
      return maxRetries * backoff.maxMs;
    default:
      return backoff satisfies never;
  }
}
