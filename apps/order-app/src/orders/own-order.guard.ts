import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { DelayQueueContext } from 'nestjs-delay-queue';
import { type ORDER_TIMEOUT, orderTimeoutId } from './order-timeout-task.js';

/**
 * Lets a task end only the order that its id names.
 *
 * The shop schedules no others. One that was scheduled by hand, with the wrong payload, fails and ends among the dead letters
 * instead of cancelling somebody else's order.
 */
@Injectable()
export class OwnOrderGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { task, payload } = DelayQueueContext.of<typeof ORDER_TIMEOUT>(context);
    return task.id === orderTimeoutId(payload.orderId);
  }
}
