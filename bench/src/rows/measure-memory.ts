import type { TaskRange } from '../participant/participant-api.js';
import type { Stage } from '../stage.js';
import { expectWaiting } from '../verification.js';
import { farDueTimes } from './measure-load.js';
import type { Measurement } from './row.js';

/** Measures the memory that Redis needs for each of so many waiting tasks. */
export async function measureMemory(stage: Stage, tasks: number): Promise<Measurement> {
  // One task first: scripts and what a queue has beside its tasks are not counted.
  await scheduleAll(stage, { first: 0, count: 1 });
  const before = await stage.gauge.restingMemory();
  await scheduleAll(stage, { first: 1, count: tasks });
  const after = await stage.gauge.restingMemory();
  return { value: (after - before) / tasks };
}

/** The process is gone afterwards, and with it the buffers that Redis had for it. */
async function scheduleAll(stage: Stage, range: TaskRange): Promise<void> {
  const producer = await stage.startProducer();
  await producer.call('scheduleMany', { ...range, ...farDueTimes(), perCall: 1_000 });
  await expectWaiting(producer, range.first + range.count);
  await producer.close();
}
