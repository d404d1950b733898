import { setTimeout as sleep } from 'node:timers/promises';
import { taskIdOf } from './bench-task.js';
import type { Participant } from './participant/participant.js';
import type { RunReport } from './run-log.js';

/** How often processes are asked how far they are; seldom enough not to disturb them. */
const POLL_MS = 20;

/** Time after the last expected run in which a task that runs twice would show. */
const AFTERMATH_MS = 300;

/**
 * Waits until processes have together run so many tasks.
 *
 * @throws when they have not after `deadlineMs`.
 */
export async function untilRun(consumers: readonly Participant[], runs: number, deadlineMs: number): Promise<void> {
  const endMs = performance.now() + deadlineMs;
  for (;;) {
    const counts = await Promise.all(consumers.map((consumer) => consumer.call('progress')));
    const total = counts.reduce((sum, count) => sum + count, 0);
    if (total >= runs) return;
    if (performance.now() > endMs) throw new Error(`after ${deadlineMs} ms, ${total} of ${runs} tasks had run`);
    await sleep(POLL_MS);
  }
}

/**
 * Waits for repeated runs, closes the processes, and checks that every task ran exactly once.
 *
 * @param tasks their numbers are 0 to this.
 * @throws when a task did not run, or ran more than once.
 */
export async function closeAndExpectOnce(consumers: readonly Participant[], tasks: number): Promise<RunReport[]> {
  await sleep(AFTERMATH_MS);
  const reports = await Promise.all(
    consumers.map(async (consumer) => {
      const report = await consumer.call('report');
      await consumer.close();
      return report;
    }),
  );
  expectOnce(reports, tasks);
  return reports;
}

/** @throws when the number of waiting tasks is another. */
export async function expectWaiting(participant: Participant, expected: number): Promise<void> {
  const waiting = await participant.call('countWaiting');
  if (waiting !== expected) throw new Error(`${waiting} tasks are waiting instead of ${expected}`);
}

function expectOnce(reports: readonly RunReport[], tasks: number): void {
  const wrong: string[] = [];
  for (let index = 0; index < tasks; index++) {
    const runs = reports.reduce((sum, report) => sum + (report.runs[index] ?? 0), 0);
    if (runs !== 1) wrong.push(`${taskIdOf(index)} (task ${index}) ran ${runs} times`);
  }
  if (wrong.length === 0) return;
  throw new Error(`${wrong.length} of ${tasks} tasks did not run exactly once: ${wrong.slice(0, 5).join(', ')}`);
}
