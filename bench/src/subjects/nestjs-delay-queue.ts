import 'reflect-metadata';
import { Injectable, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  DelayQueueAdmin,
  DelayQueueEvents,
  DelayQueueModule,
  DelayQueueProducer,
  type HandlerOptions,
  OnDelayedTask,
} from 'nestjs-delay-queue';
import type { BenchPayload, BenchTask } from '../bench-task.js';
import { type ConsumeOptions, firstType, type OpenOptions, type SubjectSession } from './subject.js';

/**
 * The library as an application uses it: its module in a Nest application context, handlers decorated, events subscribed
 * to, everything else by default.
 */
export async function openDelayQueue({ redisUrl, types, consume }: OpenOptions): Promise<SubjectSession> {
  @Module({
    imports: [DelayQueueModule.forRoot({ connection: redisUrl })],
    providers: consume === null ? [] : types.map((type) => handlerOf(type, consume)),
  })
  class BenchModule {}

  const app = await NestFactory.createApplicationContext(BenchModule, { logger: ['warn', 'error'] });
  const type = firstType(types);
  const producer = app.get(DelayQueueProducer);
  const admin = app.get(DelayQueueAdmin);
  let events = 0;
  app.get(DelayQueueEvents).events$.subscribe(() => events++);

  return {
    async schedule(task) {
      expectStatus('created', await producer.schedule(type, task.payload, timeAndId(task)));
    },
    async scheduleMany(tasks) {
      const items = tasks.map((task) => ({ ...timeAndId(task), payload: task.payload }));
      for (const result of await producer.scheduleMany(type, items)) expectStatus('created', result);
    },
    async cancel(id) {
      expectStatus('cancelled', await producer.cancel(type, id));
    },
    async reschedule(id, dueAtMs) {
      expectStatus('rescheduled', await producer.reschedule(type, id, { at: new Date(dueAtMs) }));
    },
    async countWaiting() {
      return (await admin.stats(type)).waiting;
    },
    close: () => app.close(),
  };
}

function handlerOf(type: string, consume: ConsumeOptions): Type {
  const options: HandlerOptions = consume.concurrency === null ? {} : { concurrency: consume.concurrency };

  @Injectable()
  class BenchHandler {
    @OnDelayedTask(type, options)
    run(payload: BenchPayload): Promise<void> | void {
      return consume.run(payload);
    }
  }
  return BenchHandler;
}

function timeAndId({ id, dueAtMs }: BenchTask): { id: string; at: Date } {
  return { id, at: new Date(dueAtMs) };
}

function expectStatus(expected: string, { status }: { readonly status: string }): void {
  if (status !== expected) throw new Error(`answered '${status}' instead of '${expected}'`);
}
