import type { Attributes } from '@opentelemetry/api';
import { SpanAttribute } from './span-attributes.js';

const SYSTEM = 'nestjs_delay_queue';

/** An operation of the queue, and what the semantic conventions for messaging call it. */
export const OPERATIONS = {
  schedule: { name: 'schedule', type: 'send' },
  process: { name: 'process', type: 'process' },
} as const;

/** The attributes that samplers may decide by, which every span of the queue has from its start. */
export function operationAttributes(
  operation: (typeof OPERATIONS)[keyof typeof OPERATIONS],
  { queue, type }: { readonly queue: string; readonly type: string },
): Attributes {
  return {
    [SpanAttribute.MESSAGING_SYSTEM]: SYSTEM,
    [SpanAttribute.MESSAGING_OPERATION_NAME]: operation.name,
    [SpanAttribute.MESSAGING_OPERATION_TYPE]: operation.type,
    [SpanAttribute.MESSAGING_DESTINATION_NAME]: type,
    [SpanAttribute.PREFIX]: queue,
  };
}
