import { setTimeout as sleep } from 'node:timers/promises';
import type { Participant } from '../participant/participant.js';
import { type Measurement, ONCE, type Row } from '../rows/row.js';
import { farDueTimes } from '../rows/measure-load.js';
import type { Stage } from '../stage.js';
import { expectWaiting } from '../verification.js';
import { expectRows } from './measure-transactions.js';

/** So high that it limits nothing. */
const UNLIMITED = 1_000_000;

const CALLERS = 64;

const DEADLINE_MS = 100_000;

const POLL_MS = 50;

const PROGRESS_EVERY_MS = 2_000;

/** From FLUSHALL until all tasks are in Redis again, as fast as it goes. */
export const ledgerRebuild: Row = {
  name: 'ledger-rebuild-100k',
  title: '100,000 tasks back in Redis after FLUSHALL',
  unit: 's',
  subjects: ['ledger'],
  runs: ONCE,
  database: true,
  goals: [],
  measure: (stage) => measureRebuild(stage, { name: 'ledger-rebuild-100k', rebuildRate: UNLIMITED }),
};

/** The same with the default `rebuildRate`, which leaves room for others. */
export const ledgerRebuildPaced: Row = {
  ...ledgerRebuild,
  name: 'ledger-rebuild-100k-paced',
  title: '100,000 tasks back in Redis after FLUSHALL, at the default rebuildRate',
  measure: (stage) => measureRebuild(stage, { name: 'ledger-rebuild-100k-paced', rebuildRate: null }),
};

interface RebuildPlan {
  readonly name: string;
  readonly rebuildRate: number | null;
}

async function measureRebuild(stage: Stage, { name, rebuildRate }: RebuildPlan): Promise<Measurement> {
  const tasks = stage.options.quick ? 20_000 : 100_000;
  // A consumer, because those who consume are who notice a loss.
  const process = await stage.startConsumer({ concurrency: null, tasks }, rebuildRate);
  await process.call('schedule', { first: 0, count: tasks, ...farDueTimes(), callers: CALLERS });
  const isIndexed = async (): Promise<boolean> =>
    (await stage.countRows(`delay_queue_tasks WHERE state = 'indexed'`)) === tasks;
  await until(isIndexed);
  await expectWaiting(process, tasks);

  const startMs = performance.now();
  await stage.gauge.flush();
  const log = (line: string): void => stage.options.log?.(`${name}  ${line}`);
  const noticedMs = await followLoading(process, { tasks, startMs, log });
  const elapsedMs = performance.now() - startMs;
  await until(isIndexed);
  await expectRows(stage, 'delay_queue_tasks', tasks);
  await expectWaiting(process, tasks);
  await process.close();
  return {
    value: elapsedMs / 1_000,
    extra: { noticedS: noticedMs / 1_000, tasksPerS: (tasks / (elapsedMs - noticedMs)) * 1_000 },
  };
}

/** Waits until all are back; answers how long it took until the first were. */
async function followLoading(
  process: Participant,
  { tasks, startMs, log }: { tasks: number; startMs: number; log: (line: string) => void },
): Promise<number> {
  let noticedMs: number | null = null;
  let toldMs = 0;
  await until(async () => {
    const waiting = await process.call('countWaiting');
    const nowMs = performance.now() - startMs;
    if (waiting > 0) noticedMs ??= nowMs;
    if (nowMs - toldMs >= PROGRESS_EVERY_MS || waiting === tasks) {
      toldMs = nowMs;
      log(`${grouped(waiting)} of ${grouped(tasks)} after ${(nowMs / 1_000).toFixed(1)} s`);
    }
    return waiting === tasks;
  });
  return noticedMs ?? 0;
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  const endMs = performance.now() + DEADLINE_MS;
  while (!(await condition())) {
    if (performance.now() > endMs) throw new Error(`not all tasks were there after ${DEADLINE_MS} ms`);
    await sleep(POLL_MS);
  }
}

function grouped(count: number): string {
  return count.toLocaleString('en-US');
}
