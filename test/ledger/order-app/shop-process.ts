/** The order app in a process of its own, for the fault test: told what to do by its parent, and to die in the middle of it. */
import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { DelayQueueProducer } from 'nestjs-delay-queue';
import { AppModule } from '../../../apps/order-app/src/app.module.js';
import { ORDER_TIMEOUT, orderTimeoutId } from '../../../apps/order-app/src/orders/order-timeout-task.js';
import { DelayQueueRuntime } from '../../../libs/delay-queue/src/runtime/delay-queue-runtime.js';
import { OrdersService } from '../../../apps/order-app/src/orders/orders.service.js';
import type { ShopCommand, ShopReport, ShopSetup } from './shop-protocol.js';
import { StepCounter } from './step-counter.js';

type AnyProducer = { runNow(type: string, id: string): Promise<unknown> };

function report(message: ShopReport): void {
  process.send?.(message);
}

function readSetup(): ShopSetup {
  return JSON.parse(process.env['FAULT_SHOP'] ?? '{}') as ShopSetup;
}

async function serve(): Promise<void> {
  process.on('disconnect', () => process.exit(1));
  const steps = new StepCounter(readSetup().traceFile);
  const app = await NestFactory.createApplicationContext(AppModule, { logger: ['warn', 'error'] });
  const runNow = async (orderId: string): Promise<void> => {
    const producer = app.get(DelayQueueProducer) as unknown as AnyProducer;
    await producer.runNow(ORDER_TIMEOUT, orderTimeoutId(orderId));
  };

  const obey = async (command: ShopCommand): Promise<void> => {
    switch (command.kind) {
      case 'place': {
        steps.begin(command.dieBefore);
        const { id } = await app.get(OrdersService).place({ sku: command.sku, quantity: 1 });
        report({ kind: 'placed', orderId: id });
        return;
      }
      case 'cancel':
        steps.begin(command.dieBefore);
        // In the store alone: what the ledger is told of it would be done at the same time as the steps of the timeout.
        await app.get(DelayQueueRuntime)['desk'].submit(ORDER_TIMEOUT, {
          kind: 'runNow',
          id: orderTimeoutId(command.orderId),
        });
        return;
      case 'run':
        await Promise.all(command.orderIds.map(runNow));
        return;
      case 'stop':
        await app.close();
        process.exit(0);
        return;
      default:
        command satisfies never;
    }
  };
  process.on('message', (command: ShopCommand) => {
    obey(command).catch((error: unknown) => report({ kind: 'failed', error: String(error) }));
  });
  report({ kind: 'ready' });
}

serve().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
