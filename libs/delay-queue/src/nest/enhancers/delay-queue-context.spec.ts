import { describe, expect, it } from '@jest/globals';
import type { ArgumentsHost } from '@nestjs/common';
import { InvalidArgumentError } from '../../core/errors.js';
import { DELAY_QUEUE_CONTEXT, DelayQueueContext, isDelayQueueContext } from './delay-queue-context.js';

function hostOf(type: string, args: readonly unknown[]): ArgumentsHost {
  return { getType: () => type, getArgs: () => args } as unknown as ArgumentsHost;
}

describe('DelayQueueContext', () => {
  it('reads payload and task out of the context of a task', () => {
    const task = { id: 'x' };
    const host = hostOf(DELAY_QUEUE_CONTEXT, [{ orderId: '1' }, task]);
    expect(isDelayQueueContext(host)).toBe(true);
    expect(DelayQueueContext.of(host)).toEqual({ payload: { orderId: '1' }, task });
    expect(DelayQueueContext.of(host).task).toBe(task);
  });

  it('refuses the context of a request', () => {
    const host = hostOf('http', [{}, {}]);
    expect(isDelayQueueContext(host)).toBe(false);
    expect(() => DelayQueueContext.of(host)).toThrow(InvalidArgumentError);
    expect(() => DelayQueueContext.of(host)).toThrow("context: belongs to 'http' and not to a task");
  });
});
