import type { DelayQueueEvents, QueueEventKind, QueueEventOf } from 'nestjs-delay-queue';
import { filter, firstValueFrom, throwError, timeout } from 'rxjs';

/** Far above what a test on a busy machine takes. */
const DEADLINE_MS = 30_000;

/** Resolves with the next event of a kind, of one task if an id is given; rejects after a deadline. */
export function nextEvent<Kind extends QueueEventKind>(
  events: DelayQueueEvents,
  kind: Kind,
  id?: string,
): Promise<QueueEventOf<Kind>> {
  const ofTask = filter((event: QueueEventOf<Kind>) => id === undefined || ('id' in event && event.id === id));
  const what = id === undefined ? `'${kind}'` : `'${kind}' of ${id}`;
  const tooLate = () => throwError(() => new Error(`Waited ${DEADLINE_MS} ms for the event ${what}`));
  return firstValueFrom(events.of(kind).pipe(ofTask, timeout({ first: DEADLINE_MS, with: tooLate })));
}
