import { type Job, Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import type { BenchPayload, BenchTask } from '../bench-task.js';
import {
  type ConsumeOptions,
  DEFAULT_CONCURRENCY,
  failOnError,
  firstType,
  type OpenOptions,
  type SubjectSession,
} from './subject.js';

const JOB_NAME = 'task';

/** BullMQ with its defaults, except that done jobs are removed, as the library does. */
export async function openBullMq({ redisUrl, types, consume }: OpenOptions): Promise<SubjectSession> {
  const clients: Redis[] = [];
  const connect = (): Redis => {
    const client = new Redis(redisUrl, { maxRetriesPerRequest: null });
    clients.push(client);
    return client;
  };
  const queue = new Queue<BenchPayload>(firstType(types), { connection: connect() });
  queue.on('error', failOnError);
  const workers = consume === null ? [] : types.map((type) => startWorker({ type, consume, connection: connect() }));
  await Promise.all([queue.waitUntilReady(), ...workers.map((worker) => worker.waitUntilReady())]);

  return {
    async schedule(task) {
      await queue.add(JOB_NAME, task.payload, jobOptions(task));
    },
    async scheduleMany(tasks) {
      await queue.addBulk(tasks.map((task) => ({ name: JOB_NAME, data: task.payload, opts: jobOptions(task) })));
    },
    async cancel(id) {
      if ((await queue.remove(id)) !== 1) throw new Error('the job was not removed');
    },
    async reschedule(id, dueAtMs) {
      const job: Job<BenchPayload> | undefined = await queue.getJob(id);
      if (job === undefined) throw new Error('there is no such job');
      await job.changeDelay(dueAtMs - Date.now());
    },
    countWaiting: () => queue.getDelayedCount(),
    async close() {
      await Promise.all(workers.map((worker) => worker.close()));
      await queue.close();
      for (const client of clients) client.disconnect();
    },
  };
}

interface WorkerParts {
  readonly type: string;
  readonly consume: ConsumeOptions;
  readonly connection: Redis;
}

function startWorker({ type, consume, connection }: WorkerParts): Worker<BenchPayload> {
  const worker = new Worker<BenchPayload>(type, async (job) => consume.run(job.data), {
    connection,
    removeOnComplete: { count: 0 },
    concurrency: consume.concurrency ?? DEFAULT_CONCURRENCY,
  });
  worker.on('error', failOnError);
  worker.on('failed', (_job, error) => failOnError(error));
  return worker;
}

/** Its due time is the job's timestamp and delay, so both are counted from one reading of the clock. */
function jobOptions({ id, dueAtMs }: BenchTask): { jobId: string; timestamp: number; delay: number } {
  const timestamp = Date.now();
  return { jobId: id, timestamp, delay: Math.max(0, dueAtMs - timestamp) };
}
