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

/** Payload of a task type, `unknown` for a type that {@link DelayedTasks} does not name. */
export type PayloadOf<Type extends string> = Type extends keyof DelayedTasks ? DelayedTasks[Type] : unknown;
