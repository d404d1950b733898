import 'reflect-metadata';
import { Injectable, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  DelayQueueAdmin,
  DelayQueueEvents,
  DelayQueueModule,
  type DelayQueueModuleOptions,
  DelayQueueProducer,
  type HandlerOptions,
  OnDelayedTask,
} from 'nestjs-delay-queue';
import type { BenchPayload, BenchTask } from '../bench-task.js';
import { OrderDatabase, type Transaction } from './order-database.js';
import { type ConsumeOptions, firstType, type OpenOptions, type SubjectSession } from './subject.js';

/**
 * The library as an application uses it: its module in a Nest application context, handlers decorated, events subscribed
 * to, everything else by default.
 *
 * With a database and without a ledger, a task is scheduled when the transaction of its order has committed; who dies in
 * between has an order without a task.
 */
export async function openDelayQueue(options: OpenOptions): Promise<SubjectSession> {
  const orders = options.database && (await OrderDatabase.open(options.database.url));
  const session = await openSession(options, undefined);
  if (orders === null) return session;
  return {
    ...session,
    async scheduleWithOrder(task) {
      await orders.place(task, () => Promise.resolve());
      await session.schedule(task);
    },
    async close() {
      await session.close();
      await orders.close();
    },
  };
}

/** The library with a ledger: each task has a row in the database, alone or in the transaction of its order. */
export async function openDelayQueueWithLedger(options: OpenOptions): Promise<SubjectSession> {
  const { database, types } = options;
  if (database === null) throw new Error('a ledger needs a database');
  const orders = await OrderDatabase.open(database.url);
  const { SqlLedger } = await import('nestjs-delay-queue/ledger');
  const backend = new SqlLedger({ dialect: 'postgresql', connection: orders.pool });
  const rebuild = database.rebuildRate === null ? {} : { rebuildRate: database.rebuildRate };
  const { producer, ...session } = await openSession(options, { backend, migrate: true, ...rebuild });
  const type = firstType(types);
  const stage = async (task: BenchTask, tx: Transaction): Promise<void> =>
    expectStatus('staged', await producer.schedule(type, task.payload, { ...timeAndId(task), tx }));
  return {
    ...session,
    schedule: (task) => stage(task, orders.pool),
    scheduleWithOrder: (task) => orders.place(task, (tx) => stage(task, tx)),
    async close() {
      await session.close();
      await orders.close();
    },
  };
}

interface LibrarySession extends SubjectSession {
  readonly producer: DelayQueueProducer;
}

async function openSession(
  { redisUrl, types, consume }: OpenOptions,
  ledger: DelayQueueModuleOptions['ledger'],
): Promise<LibrarySession> {
  @Module({
    imports: [DelayQueueModule.forRoot({ connection: redisUrl, ledger })],
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
    producer,
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
