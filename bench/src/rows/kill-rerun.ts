import { atMost } from '../goals.js';
import type { Stage } from '../stage.js';
import { closeAndExpectOnce, untilRun } from '../verification.js';
import type { Measurement, Row } from './row.js';

/** BullMQ needs up to a lock of 30 s and a check every 30 s. */
const DEADLINE_MS = 90_000;

/** From kill -9 of a process in the middle of a handler until another process runs the task; the lease is 30 s. */
export const killRerun: Row = {
  name: 'kill-rerun',
  title: 'rerun after kill -9 in a handler',
  unit: 's',
  subjects: ['nestjs-delay-queue', 'bullmq'],
  runs: { quick: 0, full: 1 },
  sideBySide: true,
  goals: [atMost(30.5)],
  measure: measureRerun,
};

async function measureRerun(stage: Stage): Promise<Measurement> {
  const producer = await stage.startProducer();
  const victim = await stage.startConsumer({ concurrency: null, tasks: 1, hang: true });
  await producer.call('schedule', { first: 0, count: 1, callers: 1, dueAtMs: Date.now() + 100 });
  await untilRun([victim], 1, DEADLINE_MS);
  const heir = await stage.startConsumer({ concurrency: null, tasks: 1 });
  const killedAtMs = Date.now();
  victim.kill();
  await untilRun([heir], 1, DEADLINE_MS);
  const [report] = await closeAndExpectOnce([heir], 1);
  await producer.close();
  if (report === undefined) throw new Error('the task was not run again');
  return { value: (report.firstAtMs - killedAtMs) / 1000 };
}
