import type { TestLane } from './test-lane.js';

/** How a test brings the task `X` into each state, by operations of the store alone. */
export interface PreparedTask {
  /** Fence of the latest claim, or a number that was never one. */
  readonly fence: number;
  /** Due time to be reported in this state. */
  readonly dueAtMs: number | null;
}

/** A delay after which waiting tasks stay out of the way of what a test does. */
const FAR_MS = 600_000;

/** States of a task `X`, by the words that stand in the tests' names. */
export const TASK_STATES = {
  waiting: async (lane) => {
    const { dueAtMs } = await lane.schedule('X', FAR_MS, 'old');
    return { fence: 1, dueAtMs };
  },
  'waiting again after a retry': async (lane) => {
    const { fence } = await running(lane);
    await lane.settle({ kind: 'retry', id: 'X', fence, delayMs: FAR_MS, maxRetries: 9, error: 'boom' });
    return { fence, dueAtMs: lane.nowMs + 1 + FAR_MS };
  },
  'waiting again after a snooze': async (lane) => {
    const { fence } = await running(lane);
    await lane.settle({ kind: 'snooze', id: 'X', fence, delayMs: FAR_MS });
    return { fence, dueAtMs: lane.nowMs + 1 + FAR_MS };
  },
  'waiting again after a release': async (lane) => {
    const { fence, dueAtMs } = await running(lane);
    await lane.settle({ kind: 'release', id: 'X', fence });
    return { fence, dueAtMs };
  },
  'waiting again after a redrive': async (lane) => {
    const { fence } = await dead(lane);
    const { dueAtMs } = await lane.mutate({ kind: 'redrive', id: 'X' });
    return { fence, dueAtMs };
  },
  running: (lane) => running(lane),
  'running with its lease over': async (lane) => {
    const prepared = await running(lane);
    await lane.advanceMs(45_000);
    return prepared;
  },
  dead: (lane) => dead(lane),
  done: async (lane) => {
    const { fence } = await running(lane);
    await lane.settle({ kind: 'complete', id: 'X', fence, dedupeForMs: 60_000 });
    return { fence, dueAtMs: null };
  },
  'done, the window over': async (lane) => {
    const prepared = await TASK_STATES.done(lane);
    await lane.advanceMs(60_000);
    return prepared;
  },
  none: async () => ({ fence: 1, dueAtMs: null }),
  'none, having been completed': async (lane) => {
    const { fence } = await running(lane);
    await lane.settle({ kind: 'complete', id: 'X', fence, dedupeForMs: 0 });
    return { fence, dueAtMs: null };
  },
} satisfies Record<string, (lane: TestLane) => Promise<PreparedTask>> as Record<
  TaskStateName,
  (lane: TestLane) => Promise<PreparedTask>
>;

export type TaskStateName =
  | 'waiting'
  | 'waiting again after a retry'
  | 'waiting again after a snooze'
  | 'waiting again after a release'
  | 'waiting again after a redrive'
  | 'running'
  | 'running with its lease over'
  | 'dead'
  | 'done'
  | 'done, the window over'
  | 'none'
  | 'none, having been completed';

/** A task that runs for its second time, having failed once and having lost a lease. */
async function running(lane: TestLane): Promise<PreparedTask> {
  await lane.schedule('X', 1_000, 'old');
  await lane.advanceMs(1_001);
  const first = await lane.claimOne('X');
  await lane.settle({ kind: 'retry', id: 'X', fence: first.fence, delayMs: 0, maxRetries: 9, error: 'boom' });
  await lane.claimOne('X');
  await lane.advanceMs(40_000);
  const { fence, dueAtMs } = await lane.claimOne('X');
  return { fence, dueAtMs };
}

async function dead(lane: TestLane): Promise<PreparedTask> {
  const { fence, dueAtMs } = await running(lane);
  await lane.settle({ kind: 'bury', id: 'X', fence, reason: 'why', error: 'boom' });
  return { fence, dueAtMs };
}
