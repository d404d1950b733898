/**
 * Names of span attributes.
 *
 * Those of the semantic conventions for messaging (1.45) are copied, as `@opentelemetry/semantic-conventions` advises for
 * what is not stable yet; `delay_queue.*` are our own.
 */
export const SpanAttribute = {
  MESSAGING_SYSTEM: 'messaging.system',
  MESSAGING_OPERATION_NAME: 'messaging.operation.name',
  MESSAGING_OPERATION_TYPE: 'messaging.operation.type',
  /** The task type. */
  MESSAGING_DESTINATION_NAME: 'messaging.destination.name',
  /** The task id. */
  MESSAGING_MESSAGE_ID: 'messaging.message.id',
  MESSAGING_BATCH_MESSAGE_COUNT: 'messaging.batch.message_count',
  ERROR_TYPE: 'error.type',

  /** Prefix of the queue: the type is unique within it. */
  PREFIX: 'delay_queue.prefix',
  /** How often the task was handed to a handler, this time included. */
  DELIVERY_NUMBER: 'delay_queue.delivery_number',
  /** How often a handler had failed before. */
  FAILURES: 'delay_queue.failures',
  /** Time from the due time to the start. */
  LATENESS_MS: 'delay_queue.lateness_ms',
  /** What became of the task of a call, or of a delivery. */
  OUTCOME: 'delay_queue.outcome',
  /** Time until the task is delivered again. */
  DELAY_MS: 'delay_queue.delay_ms',
  /** Why a task was buried. */
  REASON: 'delay_queue.reason',
} as const;
