export type { Duration } from './core/duration.js';
export {
  type CallOutcome,
  ConfigurationError,
  DelayQueueError,
  type DelayQueueErrorCode,
  IdempotencyInProgressError,
  LedgerUnavailableError,
  TaskEndedError,
  InvalidArgumentError,
  InvalidPayloadError,
  isStoreError,
  type PayloadIssue,
  QueueClosedError,
  type StoreError,
  StoreRejectedError,
  StoreUnavailableError,
} from './core/errors.js';
export type { ModuleExtras } from './nest/compose-module.js';
export { DelayQueueAdmin, type PurgeResult, type RedriveResult } from './nest/delay-queue-admin.js';
export { DelayQueueEvents, type QueueEventKind, type QueueEventOf } from './nest/delay-queue-events.js';
export type { DelayQueueFeatureOptions } from './nest/delay-queue-feature.module.js';
export { DelayQueueHealth } from './nest/delay-queue-health.js';
export {
  DelayQueueModule,
  type DelayQueueOptionsFactory,
  type DelayQueueRootAsyncOptions,
  type DelayQueueRootOptions,
} from './nest/delay-queue.module.js';
export type { DelayQueueModuleOptions } from './nest/delay-queue-module-options.js';
export { DelayQueueProducer } from './nest/delay-queue-producer.js';
export { DelayQueueRunner } from './nest/delay-queue-runner.js';
export { DELAY_QUEUE_CONTEXT, DelayQueueContext, isDelayQueueContext } from './nest/enhancers/delay-queue-context.js';
export { DELAYED_TASK, DelayedTaskRequest } from './nest/enhancers/delayed-task-request.js';
export type { ParameterPipe } from './nest/enhancers/handler-parameters.js';
export { TaskContext } from './nest/enhancers/task-context.decorator.js';
export { TaskPayload } from './nest/enhancers/task-payload.decorator.js';
export { getDelayQueueToken } from './nest/get-delay-queue-token.js';
export { IdempotencyService } from './nest/idempotency.service.js';
export { Idempotent, type IdempotentDecorator } from './nest/idempotent.decorator.js';
export { InjectDelayQueue } from './nest/inject-delay-queue.decorator.js';
export {
  type DecoratedParameters,
  type DelayedTaskDecorator,
  type DelayedTaskMethod,
  OnDelayedTask,
  type OnDelayedTaskOptions,
} from './nest/on-delayed-task.decorator.js';
export type { OnceOptions } from './nest/once-options.js';
export { PartialScheduleError } from './nest/partial-schedule-error.js';
export type {
  CancelResult,
  RescheduleResult,
  ScheduleItem,
  ScheduleOptions,
  ScheduleResult,
  ScheduleTime,
} from './nest/schedule-options.js';
export type { ModuleLedgerOptions } from './nest/module-ledger-options.js';
export type { CancelOptions, IndexResult, StagedResult, StageOptions, StageTime } from './nest/staged-result.js';
export type { PageOptions, TaskPage } from './nest/task-page.js';
export type { TaskView } from './nest/task-view.js';
export type { PartitionCounts, TypeStats } from './nest/type-stats.js';
export type { IdempotentOptions } from './options/idempotent-options.js';
export type { LedgerOptions } from './options/ledger-options.js';
export type { PayloadClass, PayloadSchema } from './options/payload-schema.js';
export type {
  BackoffOptions,
  HandlerOptions,
  QueueOptions,
  SharedTypeOptions,
  TaskTypeOptions,
  TypesOptions,
} from './options/queue-options.js';
export type { MutationStatus } from './ports/mutation.js';
export type { QueueEvent } from './ports/queue-event.js';
export type { LedgerBackend, LedgerState } from './ports/task-ledger.js';
export type {
  DeliveryEnd,
  DeliveryTrace,
  SchedulingCall,
  SchedulingStatus,
  SchedulingTrace,
  TaskToCarry,
  TaskTracer,
  TracedDelivery,
} from './ports/task-tracer.js';
export type { RedisClient, RedisConnectionOption } from './redis/redis-connection.js';
export type { OnceResult } from './runtime/once-runner.js';
export type { QueueHealth, StuckHandler } from './runtime/queue-health.js';
export type { DelayedTask } from './task/delayed-task.js';
// As a whole, because only what comes through `export *` can be augmented by `declare module 'nestjs-delay-queue'`.
export * from './task/delayed-tasks.js';
export type { LedgerConnection, QueryingConnection, RawCallingConnection } from './task/ledger-connection.js';
export type { TaskHeaders } from './task/task-headers.js';
export { TaskOutcome, type TaskOutcomeKind } from './task/task-outcome.js';
export type { TaskState, TaskStateOrNone } from './task/task-state.js';
export type { UpcastStep } from './task/upcast-payload.js';
