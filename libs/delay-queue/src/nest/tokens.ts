/** The options as the application gave them, not yet checked. */
export const MODULE_OPTIONS = Symbol('delay-queue:module-options');

/** The checked options, a `ResolvedModuleOptions`. */
export const RESOLVED_OPTIONS = Symbol('delay-queue:resolved-options');

/** The `Clock` of the queue. */
export const QUEUE_CLOCK = Symbol('delay-queue:clock');

/** The `QueueLogger` of the queue. */
export const QUEUE_LOGGER = Symbol('delay-queue:logger');

/** The ledger of the queue, a `RuntimeLedger`, or null. */
export const QUEUE_LEDGER = Symbol('delay-queue:ledger');

/** The `TaskStore` of the queue. */
export const TASK_STORE = Symbol('delay-queue:task-store');
