import 'reflect-metadata';
import { type INestApplicationContext, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  type CancelResult,
  DelayQueueAdmin,
  DelayQueueEvents,
  DelayQueueModule,
  DelayQueueProducer,
  type QueueOptions,
  type RescheduleResult,
  type ScheduleItem,
  type ScheduleOptions,
  type ScheduleResult,
  type ScheduleTime,
  type TaskView,
} from 'nestjs-delay-queue';
import { connectionTo } from '../worker/connection-to.js';
import type { ServerAddress } from '../worker/worker-protocol.js';

/** The producer for any type name and payload, whatever types the program declares. */
export interface AnyProducer {
  schedule(type: string, payload: unknown, options: ScheduleOptions): Promise<ScheduleResult>;
  scheduleMany(type: string, items: readonly ScheduleItem<unknown>[]): Promise<readonly ScheduleResult[]>;
  reschedule(type: string, id: string, time: ScheduleTime): Promise<RescheduleResult>;
  runNow(type: string, id: string): Promise<RescheduleResult>;
  cancel(type: string, id: string): Promise<CancelResult>;
  get(type: string, id: string): Promise<TaskView<string> | null>;
}

/** An application without handlers: what schedules tasks and looks at them. */
export class QueueClient {
  private constructor(
    private readonly app: INestApplicationContext,
    readonly producer: AnyProducer,
    readonly admin: DelayQueueAdmin,
    readonly events: DelayQueueEvents,
  ) {}

  /** Boots the application; with a server that is away it boots all the same. */
  static async open(address: ServerAddress, queue: QueueOptions): Promise<QueueClient> {
    class ClientModule {}
    Module({ imports: [DelayQueueModule.forRoot({ ...queue, connection: connectionTo(address) })] })(ClientModule);
    const app = await NestFactory.createApplicationContext(ClientModule, { logger: false, abortOnError: false });
    const producer = app.get(DelayQueueProducer) as unknown as AnyProducer;
    return new QueueClient(app, producer, app.get(DelayQueueAdmin), app.get(DelayQueueEvents));
  }

  async close(): Promise<void> {
    await this.app.close();
  }
}
