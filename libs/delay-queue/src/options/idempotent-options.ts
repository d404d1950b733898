import type { Duration } from '../core/duration.js';
import type { DelayedTask } from '../task/delayed-task.js';
import type { PayloadOf, TaskType } from '../task/delayed-tasks.js';

/** What `@Idempotent` may say. */
export interface IdempotentOptions<
  Payload = PayloadOf<TaskType>,
  Task extends Pick<DelayedTask, 'id' | 'life'> = DelayedTask<string>,
> {
  /**
   * Makes the idempotency key out of payload and task: 1 to 512 bytes of UTF-8, the same for all work that must happen
   * once, whatever task or call of `IdempotencyService.once` asks for it. What it throws fails the delivery.
   *
   * @default the task itself: its type, its id and its life
   */
  readonly key?: (payload: Payload, task: Task) => string;
  /** How long the work is remembered after it was done. @default '24h' */
  readonly ttl?: Duration;
  /**
   * Keeps what the handler returned, as JSON, for the `skipped` event and for callers of `IdempotencyService.once`.
   *
   * @default false
   */
  readonly keepResult?: boolean;
}
