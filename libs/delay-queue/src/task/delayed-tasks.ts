import type { StandardSchemaV1 } from '@standard-schema/spec';

/**
 * The application's task types: type name to payload.
 *
 * Fill it in by declaration merging, and the producer, the decorator and the handlers check types and payloads. Left
 * empty, every type name is accepted and payloads are `unknown`.
 *
 * @example
 * declare module 'nestjs-delay-queue' {
 *   interface DelayedTasks {
 *     order_timeout: { orderId: string };
 *   }
 * }
 */
export interface DelayedTasks {}

/** Name of a task type: a key of {@link DelayedTasks}, or any string while that is empty. */
export type TaskType = [keyof DelayedTasks] extends [never] ? string : Extract<keyof DelayedTasks, string>;

declare const BY_SCHEMA: unique symbol;

/**
 * In {@link DelayedTasks}: the payload is what this schema takes, and the handler gets what the schema makes of it. Needed
 * only where the two differ; else `z.infer<typeof schema>` and the like do as well.
 *
 * @example
 * const reminder = z.object({ to: z.string(), at: z.coerce.date() });
 *
 * declare module 'nestjs-delay-queue' {
 *   interface DelayedTasks {
 *     reminder: PayloadBySchema<typeof reminder>;
 *   }
 * }
 */
export interface PayloadBySchema<Schema extends StandardSchemaV1> {
  readonly [BY_SCHEMA]: Schema;
}

/** Payload of a task type as its handler gets it, `unknown` for a type that {@link DelayedTasks} does not name. */
export type PayloadOf<Type extends string> = Type extends keyof DelayedTasks
  ? DelayedTasks[Type] extends PayloadBySchema<infer Schema>
    ? StandardSchemaV1.InferOutput<Schema>
    : DelayedTasks[Type]
  : unknown;

/** Payload of a task type as it is scheduled and stored; only with {@link PayloadBySchema} not the handler's. */
export type PayloadInputOf<Type extends string> = Type extends keyof DelayedTasks
  ? DelayedTasks[Type] extends PayloadBySchema<infer Schema>
    ? StandardSchemaV1.InferInput<Schema>
    : DelayedTasks[Type]
  : unknown;
