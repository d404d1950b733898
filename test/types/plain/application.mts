/**
 * An application that has not filled in its task types: any name is accepted, and payloads are `unknown`. Compiled by
 * types.test.ts: each `@ts-expect-error` must be an error, and nothing else may be one.
 */
import {
  type DelayedTask,
  DelayQueueModule,
  type DelayQueueProducer,
  Idempotent,
  OnDelayedTask,
  type PayloadOf,
  type TaskType,
} from 'nestjs-delay-queue';
import { z } from 'zod';

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

export const anyNameIsAType: Equal<TaskType, string> = true;
export const payloadsAreUnknown: Equal<PayloadOf<'order_timeout'>, unknown> = true;

class Payload {
  any!: string;
}

// What an environment variable is.
declare const url: string | undefined;

export const modules = [
  DelayQueueModule.forRoot({ connection: url, prefix: 'shop', isGlobal: false }),
  DelayQueueModule.forRoot({ embedded: true, types: { order_timeout: { partitions: 4, dedupeFor: '1h' } } }),
  DelayQueueModule.forRootAsync({ isGlobal: false, useFactory: () => ({ connection: url }) }),
  DelayQueueModule.forRootAsync({ inject: ['URL'], useFactory: async (given: string) => ({ connection: given }) }),
  DelayQueueModule.forFeature({ types: { whatever: { schema: z.object({ any: z.string() }), version: 2 } } }),
  DelayQueueModule.forFeature({ types: { whatever: { schema: Payload, upcast: { 1: (old) => old } } } }),
  // @ts-expect-error -- no schema at all
  DelayQueueModule.forFeature({ types: { whatever: { schema: {} } } }),
  // @ts-expect-error -- what an old payload was must be said, or looked at
  DelayQueueModule.forFeature({ types: { whatever: { version: 2, upcast: { 1: (old) => old.any } } } }),
  // @ts-expect-error -- no such option
  DelayQueueModule.forRoot({ embeded: true }),
  // @ts-expect-error -- no such option of a type
  DelayQueueModule.forRoot({ embedded: true, types: { order_timeout: { partition: 4 } } }),
];

export async function producers(producer: DelayQueueProducer): Promise<void> {
  await producer.schedule('whatever', { any: 'thing' }, { delay: '30m' });
  await producer.cancel('whatever', 'x');
  const task = await producer.get('whatever', 'x');
  // @ts-expect-error -- an unknown payload must be looked at first
  const orderId = task?.payload?.orderId;
  console.log(orderId);
}

export class Handlers {
  @OnDelayedTask('whatever')
  ownPayloadType(payload: { any: string }, task: DelayedTask): string {
    return payload.any + task.type;
  }

  @OnDelayedTask('other')
  nothing(): void {}

  @OnDelayedTask('keyed')
  @Idempotent({ key: (payload: { any: string }) => payload.any })
  ownKey(payload: { any: string }): string {
    return payload.any;
  }

  @OnDelayedTask('unknown key')
  // @ts-expect-error -- an unknown payload must be looked at first
  @Idempotent({ key: (payload) => payload.any })
  unknownKey(): void {}

  // @ts-expect-error -- the second argument is the task
  @OnDelayedTask('third')
  wrongSecond(_payload: unknown, task: { notATask: true }): unknown {
    return task;
  }

  // @ts-expect-error -- not a method
  @OnDelayedTask('fourth')
  property = (): void => {};
}
