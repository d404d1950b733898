/** The name of the queue, a text. */
export const QUEUE_NAME = Symbol('delay-queue:name');

/** The options as the application gave them, not yet checked. */
export const MODULE_OPTIONS = Symbol('delay-queue:module-options');

/** The checked options, a `ResolvedModuleOptions`. */
export const RESOLVED_OPTIONS = Symbol('delay-queue:resolved-options');

/** Where the tasks are kept, a `Storage`. */
export const STORAGE = Symbol('delay-queue:storage');

/** The `Clock` of the queue. */
export const QUEUE_CLOCK = Symbol('delay-queue:clock');

/** The `QueueLogger` of the queue. */
export const QUEUE_LOGGER = Symbol('delay-queue:logger');

/** The ledger of the queue, a `RuntimeLedger`, or null. */
export const QUEUE_LEDGER = Symbol('delay-queue:ledger');

/** The `TaskStore` of the queue. */
export const TASK_STORE = Symbol('delay-queue:task-store');

/** Time between two rounds of the work that is not urgent, in milliseconds. */
export const HOUSEKEEPING_EVERY_MS = Symbol('delay-queue:housekeeping-every-ms');

/** Is told what the runtime does, an `ActivityWatcher`; null outside of tests. */
export const ACTIVITY_WATCHER = Symbol('delay-queue:activity-watcher');

/** The queue as the other queues of the application see it, a `QueueInstance`. */
export const QUEUE_INSTANCE = Symbol('delay-queue:instance');
