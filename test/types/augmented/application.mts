/**
 * An application that has filled in its task types. Compiled by types.test.ts: each `@ts-expect-error` must be an error,
 * and nothing else may be one.
 */
import type { ArgumentsHost, INestApplicationContext } from '@nestjs/common';
import {
  type DelayedTask,
  DelayQueueAdmin,
  DelayQueueContext,
  type DelayQueueEvents,
  DelayQueueModule,
  type DelayQueueProducer,
  getDelayQueueToken,
  Idempotent,
  type IdempotencyService,
  OnDelayedTask,
  type PayloadBySchema,
  type PayloadInputOf,
  type PayloadOf,
  TaskContext,
  TaskOutcome,
  TaskPayload,
  type TaskType,
} from 'nestjs-delay-queue';
import { SqlLedger } from 'nestjs-delay-queue/ledger';
import { OpenTelemetryTracer } from 'nestjs-delay-queue/opentelemetry';
import type { PoolConnection as MariaDbConnection } from 'mariadb';
import type mysql from 'mysql2/promise';
import type pg from 'pg';
import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import { type } from 'arktype';
import * as v from 'valibot';
import { z } from 'zod';

const reminder = z.object({ to: z.string(), at: z.coerce.date<string>(), urgent: z.boolean().default(false) });

declare module 'nestjs-delay-queue' {
  interface DelayedTasks {
    order_timeout: { orderId: string };
    send_mail: { to: string; template?: 'welcome' | 'goodbye' };
    anything: unknown;
    reminder: PayloadBySchema<typeof reminder>;
  }
}

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

export const taskTypesAreTheKeys: Equal<TaskType, 'order_timeout' | 'send_mail' | 'anything' | 'reminder'> = true;

export const thePayloadIsTheEntry: Equal<PayloadOf<'order_timeout'>, { orderId: string }> = true;
export const itIsScheduledAsItIsHandled: Equal<PayloadInputOf<'order_timeout'>, { orderId: string }> = true;
export const unlessASchemaSaysElse: Equal<PayloadOf<'reminder'>, { to: string; at: Date; urgent: boolean }> = true;
export const inWhichItTakes: Equal<
  PayloadInputOf<'reminder'>,
  { to: string; at: string; urgent?: boolean | undefined }
> = true;

class OrderTimeoutPayload {
  orderId!: string;
}

class MailPayload {
  to!: string;
}

/** A schema, a class, versions: where a type's settings stand, in the root and in a feature. */
export const modules = [
  DelayQueueModule.forRoot({
    embedded: true,
    types: {
      order_timeout: { schema: OrderTimeoutPayload, version: 2, upcast: { 1: (old: { order: string }) => old.order } },
      send_mail: { onUnknownVersion: 'wait', partitions: 4 },
    },
  }),
  DelayQueueModule.forFeature({ types: { order_timeout: { schema: z.object({ orderId: z.uuid() }) } } }),
  DelayQueueModule.forFeature({ types: { order_timeout: { schema: v.object({ orderId: v.string() }) } } }),
  DelayQueueModule.forFeature({ types: { order_timeout: { schema: type({ orderId: 'string' }) } } }),
  DelayQueueModule.forFeature({ types: { anything: { schema: z.string() }, reminder: { schema: reminder } } }),
  DelayQueueModule.forRoot({ embedded: true, tracing: new OpenTelemetryTracer() }),
  // @ts-expect-error -- a tracer, not a switch
  DelayQueueModule.forRoot({ embedded: true, tracing: true }),
  // What a schema takes is its own affair, as long as the handler gets what it is promised.
  DelayQueueModule.forFeature({ types: { order_timeout: { schema: z.object({ orderId: z.coerce.string() }) } } }),
  // @ts-expect-error -- no such type
  DelayQueueModule.forRoot({ embedded: true, types: { order_timeuot: { partitions: 4 } } }),
  // @ts-expect-error -- no such type
  DelayQueueModule.forFeature({ types: { order_timeuot: { partitions: 4 } } }),
  // @ts-expect-error -- no such option
  DelayQueueModule.forFeature({ types: { order_timeout: { partition: 4 } } }),
  // @ts-expect-error -- what the schema makes is not the payload that the handler takes
  DelayQueueModule.forFeature({ types: { order_timeout: { schema: z.object({ orderId: z.number() }) } } }),
  // @ts-expect-error -- a schema of valibot that makes something else
  DelayQueueModule.forFeature({ types: { order_timeout: { schema: v.object({ orderId: v.number() }) } } }),
  // @ts-expect-error -- the class of another payload
  DelayQueueModule.forFeature({ types: { order_timeout: { schema: MailPayload } } }),
  // @ts-expect-error -- no schema at all
  DelayQueueModule.forFeature({ types: { order_timeout: { schema: 'string' } } }),
  // @ts-expect-error -- a step is a function
  DelayQueueModule.forFeature({ types: { order_timeout: { version: 2, upcast: { 1: 'orderId' } } } }),
  // @ts-expect-error -- no such answer
  DelayQueueModule.forFeature({ types: { order_timeout: { onUnknownVersion: 'ignore' } } }),
  // @ts-expect-error -- a feature has no connection
  DelayQueueModule.forFeature({ embedded: true, types: {} }),
  // @ts-expect-error -- a feature has types
  DelayQueueModule.forFeature({}),
];

export async function producers(producer: DelayQueueProducer): Promise<void> {
  await producer.schedule('order_timeout', { orderId: '1' }, { delay: '30m' });
  await producer.schedule('order_timeout', { orderId: '1' }, { delay: 1_000, id: 'x', onDuplicate: 'replace' });
  await producer.schedule('send_mail', { to: 'a', template: 'welcome' }, { at: new Date() });
  await producer.schedule('anything', [1, 2, 3], { delay: 0, maxRetries: 0 });
  await producer.schedule('anything', null, { delay: 0, headers: { tenant: 'acme' } });
  // @ts-expect-error -- headers are texts
  await producer.schedule('anything', null, { delay: 0, headers: { tenant: 7 } });
  // @ts-expect-error -- not the payload of this type
  await producer.schedule('order_timeout', { wrong: true }, { delay: '30m' });
  // @ts-expect-error -- one field too many
  await producer.schedule('order_timeout', { orderId: '1', more: 1 }, { delay: '30m' });
  // @ts-expect-error -- the payload of another type
  await producer.schedule('order_timeout', { to: 'a' }, { delay: '30m' });
  // @ts-expect-error -- no such type
  await producer.schedule('order_timeuot', { orderId: '1' }, { delay: '30m' });
  // @ts-expect-error -- no time
  await producer.schedule('order_timeout', { orderId: '1' }, {});
  // @ts-expect-error -- two times
  await producer.schedule('order_timeout', { orderId: '1' }, { delay: '30m', at: new Date() });
  // @ts-expect-error -- a number without a unit
  await producer.schedule('order_timeout', { orderId: '1' }, { delay: 'soon' });
  // @ts-expect-error -- a Date is a point in time, not a delay
  await producer.schedule('order_timeout', { orderId: '1' }, { delay: new Date() });
  // @ts-expect-error -- no such option
  await producer.schedule('order_timeout', { orderId: '1' }, { delay: 1, retries: 3 });

  await producer.scheduleMany('order_timeout', [{ payload: { orderId: '1' }, delay: '1m' }]);
  // @ts-expect-error -- not the payload of this type
  await producer.scheduleMany('order_timeout', [{ payload: { to: 'a' }, delay: '1m' }]);
  // @ts-expect-error -- an item without a time
  await producer.scheduleMany('order_timeout', [{ payload: { orderId: '1' } }]);

  await producer.schedule('reminder', { to: 'a', at: '2025-01-01' }, { delay: '1h' });
  await producer.scheduleMany('reminder', [{ payload: { to: 'a', at: '2025-01-01', urgent: true }, delay: '1h' }]);
  // @ts-expect-error -- the handler gets a Date, and what is stored is the text
  await producer.schedule('reminder', { to: 'a', at: new Date() }, { delay: '1h' });

  await producer.reschedule('order_timeout', 'x', { delay: '1h' });
  // @ts-expect-error -- no such type
  await producer.reschedule('other', 'x', { delay: '1h' });
  // @ts-expect-error -- no such type
  await producer.cancel('other', 'x');
  // @ts-expect-error -- no such type
  await producer.runNow('other', 'x');
}

export async function views(producer: DelayQueueProducer, admin: DelayQueueAdmin): Promise<void> {
  const task = await producer.get('order_timeout', 'x');
  const orderId: string | undefined = task?.payload?.orderId;
  const at: string | undefined = (await producer.get('reminder', 'x'))?.payload?.at;
  const page = await admin.listDead('send_mail');
  const to: string | undefined = page.items[0]?.payload?.to;
  // @ts-expect-error -- the payload has no such field
  const missing = task?.payload?.missing;
  // An administrator may ask for types of other applications.
  const strange: unknown = (await admin.listDead('type_of_another_app')).items[0]?.payload;
  console.log(orderId, to, at, missing, strange);
}

export function events(queue: DelayQueueEvents): void {
  queue.of('buried').subscribe((event) => console.log(event.reason));
  // @ts-expect-error -- this kind has no reason
  queue.of('completed').subscribe((event) => console.log(event.reason));
  // @ts-expect-error -- no such kind
  queue.of('exploded').subscribe();
}

export function contexts(host: ArgumentsHost): void {
  const { task, payload } = DelayQueueContext.of<'order_timeout'>(host);
  const orderId: string = payload.orderId + task.payload.orderId;
  // @ts-expect-error -- the payload has no such field
  console.log(orderId, payload.missing, DelayQueueContext.of(host).task.id);
}

export function partsOfNamedQueues(app: INestApplicationContext): void {
  const producer: DelayQueueProducer = app.get(getDelayQueueToken('reports'));
  const admin: DelayQueueAdmin = app.get(getDelayQueueToken('reports', DelayQueueAdmin));
  // @ts-expect-error -- no method of this part
  app.get(getDelayQueueToken('reports', DelayQueueAdmin)).schedule();
  console.log(producer, admin);
}

export class Handlers {
  @OnDelayedTask('order_timeout')
  decorated(@TaskPayload() payload: { orderId: string }, @TaskContext() task: DelayedTask<'order_timeout'>): string {
    return payload.orderId + task.payload.orderId;
  }

  @OnDelayedTask('order_timeout', { maxRetries: 1, parameters: 'decorated' })
  madeByPipes(@TaskContext() task: DelayedTask<'order_timeout'>, @TaskPayload() order: { loaded: true }): unknown {
    return [task, order];
  }

  // @ts-expect-error -- the order of the arguments, as long as nothing says that they are decorated
  @OnDelayedTask('order_timeout')
  swapped(@TaskContext() task: DelayedTask<'order_timeout'>, @TaskPayload() payload: { orderId: string }): unknown {
    return [task, payload];
  }

  // @ts-expect-error -- no such type
  @OnDelayedTask('order_timeuot', { parameters: 'decorated' })
  decoratedOfNoType(): void {}

  // @ts-expect-error -- not a method
  @OnDelayedTask('order_timeout', { parameters: 'decorated' })
  decoratedProperty = (): void => {};

  // @ts-expect-error -- no such value
  @OnDelayedTask('order_timeout', { parameters: 'some' })
  wrongParameters(): void {}

  @OnDelayedTask('order_timeout', { concurrency: 20, handlerTimeout: '30s', backoff: { type: 'fixed', delay: '5s' } })
  async payloadAndTask(payload: { orderId: string }, task: DelayedTask<'order_timeout'>): Promise<TaskOutcome> {
    const same: string = task.payload.orderId + payload.orderId;
    return same === '' ? TaskOutcome.bury('empty') : TaskOutcome.snooze('10m');
  }

  @OnDelayedTask('send_mail')
  payloadOnly(payload: { to: string }): string {
    return payload.to;
  }

  @OnDelayedTask('reminder', { onUnknownVersion: 'wait' })
  whatTheSchemaMakes(payload: { to: string; at: Date; urgent: boolean }, task: DelayedTask<'reminder'>): number {
    return payload.at.getTime() - task.payload.at.getTime();
  }

  @OnDelayedTask('order_timeout')
  instanceOfTheClass(payload: OrderTimeoutPayload): string {
    return payload.orderId;
  }

  @OnDelayedTask('order_timeout')
  nothing(): void {}

  @OnDelayedTask('order_timeout')
  anyTask(_payload: unknown, task: DelayedTask): string {
    return task.id;
  }

  @OnDelayedTask('anything')
  unknownPayload(payload: { what: 'ever' }): unknown {
    return payload.what;
  }

  @OnDelayedTask('order_timeout')
  @OnDelayedTask('send_mail')
  both(payload: { orderId: string } | { to: string }): unknown {
    return payload;
  }

  // @ts-expect-error -- a field that the payload does not have
  @OnDelayedTask('order_timeout')
  wrongPayload(payload: { orderNumber: number }): unknown {
    return payload;
  }

  // @ts-expect-error -- the first argument is the payload
  @OnDelayedTask('order_timeout')
  taskOnly(task: DelayedTask<'order_timeout'>): string {
    return task.id;
  }

  // @ts-expect-error -- the text is what is stored, the handler gets a Date
  @OnDelayedTask('reminder')
  whatTheSchemaTakes(payload: { to: string; at: string }): string {
    return payload.at;
  }

  // @ts-expect-error -- a setting that producers must know does not belong into the decorator
  @OnDelayedTask('order_timeout', { schema: OrderTimeoutPayload })
  sharedOption(): void {}

  // @ts-expect-error -- fits one of the two types only
  @OnDelayedTask('order_timeout')
  @OnDelayedTask('send_mail')
  oneOfBoth(payload: { to: string }): unknown {
    return payload;
  }

  // @ts-expect-error -- the task of another type
  @OnDelayedTask('order_timeout')
  wrongTask(_payload: unknown, task: DelayedTask<'send_mail'>): string {
    return task.payload.to;
  }

  // @ts-expect-error -- nothing passes a third argument
  @OnDelayedTask('order_timeout')
  thirdParameter(_payload: unknown, _task: DelayedTask, more: string): string {
    return more;
  }

  // @ts-expect-error -- no such type
  @OnDelayedTask('order_timeuot')
  wrongType(): void {}

  @OnDelayedTask('order_timeout', { queue: 'reports', concurrency: 5 })
  ofNamedQueue(payload: { orderId: string }): string {
    return payload.orderId;
  }

  // @ts-expect-error -- the name of a queue is a text
  @OnDelayedTask('order_timeout', { queue: 7 })
  wrongQueue(): void {}

  // @ts-expect-error -- no such option
  @OnDelayedTask('order_timeout', { retries: 3 })
  wrongOption(): void {}

  // @ts-expect-error -- not a method
  @OnDelayedTask('order_timeout')
  property = (): void => {};
}

export class IdempotentHandlers {
  @OnDelayedTask('order_timeout')
  @Idempotent()
  own(): void {}

  @Idempotent({ key: (payload: { orderId: string }) => `charge:${payload.orderId}`, ttl: '7d', keepResult: true })
  @OnDelayedTask('order_timeout')
  ofPayload(payload: { orderId: string }): string {
    return payload.orderId;
  }

  @OnDelayedTask('send_mail')
  @Idempotent({ key: (_payload, task) => `${task.type} ${task.id}` })
  ofTask(): void {}

  @OnDelayedTask('send_mail')
  @Idempotent({ key: (_payload: unknown, task: DelayedTask<'send_mail'>) => task.payload.to })
  ofCertainTask(): void {}

  @OnDelayedTask('send_mail')
  // @ts-expect-error -- a key is a text
  @Idempotent({ key: (payload: { to: string }) => payload.to.length })
  wrongKey(): void {}

  @OnDelayedTask('send_mail')
  // @ts-expect-error -- the same key for all tasks
  @Idempotent({ key: 'mail' })
  constantKey(): void {}

  @OnDelayedTask('send_mail')
  // @ts-expect-error -- the second argument is the task
  @Idempotent({ key: (_payload: unknown, task: number) => String(task) })
  wrongTask(): void {}

  @OnDelayedTask('send_mail')
  // @ts-expect-error -- no such option
  @Idempotent({ tll: '1h' })
  wrongOption(): void {}
}

export async function once(idempotency: IdempotencyService): Promise<void> {
  const answer = await idempotency.once('key', async () => ({ receipt: 7 }), { ttl: '1h', keepResult: true, wait: 0 });
  const receipt: number | undefined = answer.result?.receipt;
  if (answer.status === 'ran') console.log(answer.result.receipt, answer.marked);
  // @ts-expect-error -- work that was skipped may have left nothing
  else console.log(answer.result.receipt);
  // @ts-expect-error -- no such option
  await idempotency.once('key', () => receipt, { lease: '1h' });
}

/** The raw calls of a client of Prisma, as its generated code declares them. */
interface PrismaTransaction {
  $queryRawUnsafe<T = unknown>(query: string, ...values: unknown[]): Promise<T>;
  $executeRawUnsafe(query: string, ...values: unknown[]): Promise<number>;
}

export async function transactions(
  producer: DelayQueueProducer,
  task: DelayedTask<'order_timeout'>,
  connections: {
    readonly client: pg.PoolClient;
    readonly pool: pg.Pool;
    readonly manager: EntityManager;
    readonly runner: QueryRunner;
    readonly mysql: mysql.PoolConnection;
    readonly mariadb: MariaDbConnection;
    readonly prisma: PrismaTransaction;
  },
): Promise<void> {
  for (const tx of Object.values(connections)) {
    const staged = await producer.schedule('order_timeout', { orderId: '1' }, { delay: '30m', id: 'x', tx });
    const status: 'staged' | 'duplicate' = staged.status;
    const indexed: 'indexed' | 'not_visible' | 'ended' | 'waits' = (await staged.index()).status;
    await producer.cancel('order_timeout', status + indexed, { tx });
    await producer.reschedule('order_timeout', 'x', { delay: 0, tx });
    await task.complete(tx);
  }
  const tx = connections.client;
  // @ts-expect-error -- not the payload of this type
  await producer.schedule('order_timeout', { wrong: true }, { delay: 0, tx });
  // @ts-expect-error -- a transaction is as durable as it is
  await producer.schedule(
    'order_timeout',
    { orderId: '1' },
    { delay: 0, tx, durability: { replicas: 1, timeoutMs: 1 } },
  );
  // @ts-expect-error -- a transaction that may be missing
  await producer.schedule('order_timeout', { orderId: '1' }, { delay: 0, tx: undefined });
  // @ts-expect-error -- no connection
  await producer.cancel('order_timeout', 'x', { tx: 'BEGIN' });
  const plain = await producer.schedule('order_timeout', { orderId: '1' }, { delay: 0 });
  // @ts-expect-error -- without a transaction there is nothing to be brought to the store
  await plain.index();
}

export function ledgers(dataSource: DataSource, pool: mysql.Pool): readonly SqlLedger[] {
  return [
    new SqlLedger({ dialect: 'postgresql', connection: dataSource }),
    new SqlLedger({ dialect: 'mysql', connection: pool, tablePrefix: 'app.queue_' }),
    // @ts-expect-error -- no such dialect
    new SqlLedger({ dialect: 'sqlite', connection: dataSource }),
  ];
}
