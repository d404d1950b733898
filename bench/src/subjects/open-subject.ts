import type { OpenOptions, SubjectName, SubjectSession } from './subject.js';

/** Opens a queue of the named subject; no other queue's code is loaded into the process. */
export async function openSubject(name: SubjectName, options: OpenOptions): Promise<SubjectSession> {
  switch (name) {
    case 'nestjs-delay-queue':
      return (await import('./nestjs-delay-queue.js')).openDelayQueue(options);
    case 'ledger':
      return (await import('./nestjs-delay-queue.js')).openDelayQueueWithLedger(options);
    case 'pg-boss':
      return (await import('./pg-boss.js')).openPgBoss(options);
    case 'bullmq':
      return (await import('./bullmq.js')).openBullMq(options);
    case 'bee-queue':
      return (await import('./bee-queue.js')).openBeeQueue(options);
    case 'bull':
      return (await import('./bull.js')).openBull(options);
    case 'raw':
      return (await import('./raw.js')).openRaw(options);
    default:
      return name satisfies never;
  }
}
