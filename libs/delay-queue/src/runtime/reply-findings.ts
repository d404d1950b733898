import type { PartitionRef } from '../core/partition.js';
import type { QueueLogger, QueueObserver } from '../ports/queue-event.js';
import { REASON_LEASES_LOST } from '../ports/settle.js';
import type { TurnReply } from '../ports/turn.js';

/** Tells operators and observers what a claim has found besides tasks to run. */
export function reportFindings(
  to: { readonly ref: PartitionRef; readonly observer: QueueObserver; readonly logger: QueueLogger },
  reply: TurnReply,
): void {
  const { type } = to.ref;
  for (const { id, lostLeases } of reply.buried) {
    to.logger.error(`Task '${id}' of '${type}' lost ${lostLeases} leases in a row and is now a dead letter.`);
    to.observer.notify({ kind: 'buried', type, id, reason: REASON_LEASES_LOST, error: undefined });
  }
  for (const id of reply.orphans) {
    to.logger.error(`Task '${id}' of '${type}' was due, but its data had vanished from the store.`);
    to.observer.notify({ kind: 'orphan removed', type, id });
  }
}
