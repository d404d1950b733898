import Bull from 'bull';
import type { BenchPayload, BenchTask } from '../bench-task.js';
import { DEFAULT_CONCURRENCY, failOnError, firstType, type OpenOptions, type SubjectSession } from './subject.js';

/** Bull 4 with its defaults, except that done jobs are removed, as the library does. */
export async function openBull({ redisUrl, types, consume }: OpenOptions): Promise<SubjectSession> {
  const queue = new Bull<BenchPayload>(firstType(types), redisUrl, { defaultJobOptions: { removeOnComplete: true } });
  queue.on('error', failOnError);
  queue.on('failed', (_job, error) => failOnError(error));
  await queue.isReady();
  if (consume !== null) {
    const concurrency = consume.concurrency ?? DEFAULT_CONCURRENCY;
    // The promise lasts as long as the queue is open.
    queue.process(concurrency, async ({ data }) => consume.run(data)).catch(failOnError);
  }

  return {
    async schedule(task) {
      await queue.add(task.payload, jobOptions(task));
    },
    async scheduleMany(tasks) {
      await queue.addBulk(tasks.map((task) => ({ data: task.payload, opts: jobOptions(task) })));
    },
    async cancel(id) {
      await queue.removeJobs(id);
    },
    reschedule: () => Promise.reject(new Error('not measured')),
    countWaiting: () => queue.getDelayedCount(),
    close: () => queue.close(),
  };
}

function jobOptions({ id, dueAtMs }: BenchTask): { jobId: string; timestamp: number; delay: number } {
  const timestamp = Date.now();
  return { jobId: id, timestamp, delay: Math.max(0, dueAtMs - timestamp) };
}
