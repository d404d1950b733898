import BeeQueue from 'bee-queue';
import type { BenchPayload, BenchTask } from '../bench-task.js';
import { DEFAULT_CONCURRENCY, failOnError, firstType, type OpenOptions, type SubjectSession } from './subject.js';

/**
 * Bee-Queue as its documentation advises for speed: no job events over pub/sub, no jobs kept in memory, done jobs removed.
 */
export async function openBeeQueue({ redisUrl, types, consume }: OpenOptions): Promise<SubjectSession> {
  const { hostname, port } = new URL(redisUrl);
  const redis = { host: hostname, port: Number(port) };
  const queues = types.map((type) => openQueue({ type, redis, isWorker: consume !== null }));
  await Promise.all(queues.map((queue) => queue.ready()));
  if (consume !== null) {
    const concurrency = consume.concurrency ?? DEFAULT_CONCURRENCY;
    for (const queue of queues) queue.process(concurrency, async ({ data }) => consume.run(data));
  }
  const queue = queues.find(({ name }) => name === firstType(types));
  if (queue === undefined) throw new Error('the first queue was not opened');

  return {
    async schedule(task) {
      const job = await jobOf(queue, task).save();
      if (job.id === null) throw new Error('the job was not created');
    },
    async scheduleMany(tasks) {
      const errors = await queue.saveAll(tasks.map((task) => jobOf(queue, task)));
      if (errors.size > 0) throw new Error(`${errors.size} jobs were not created`);
    },
    async cancel(id) {
      await queue.removeJob(id);
    },
    reschedule: () => Promise.reject(new Error('Bee-Queue cannot move a job')),
    async countWaiting() {
      return (await queue.checkHealth()).delayed;
    },
    async close() {
      await Promise.all(queues.map((each) => each.close()));
    },
  };
}

interface QueueParts {
  readonly type: string;
  readonly redis: { readonly host: string; readonly port: number };
  readonly isWorker: boolean;
}

function openQueue({ type, redis, isWorker }: QueueParts): BeeQueue<BenchPayload> {
  const queue = new BeeQueue<BenchPayload>(type, {
    redis,
    isWorker,
    activateDelayedJobs: isWorker,
    getEvents: false,
    sendEvents: false,
    storeJobs: false,
    removeOnSuccess: true,
  });
  queue.on('error', failOnError);
  queue.on('failed', (_job, error) => failOnError(error));
  return queue;
}

function jobOf(queue: BeeQueue<BenchPayload>, { id, dueAtMs, payload }: BenchTask): BeeQueue.Job<BenchPayload> {
  return queue.createJob(payload).setId(id).delayUntil(dueAtMs);
}
