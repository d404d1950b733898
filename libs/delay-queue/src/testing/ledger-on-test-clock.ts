import { MAX_TIMER_MS } from '../core/clock.js';
import type { DueTime } from '../ports/mutation.js';
import type { ChangedRow, LedgerRow, TakeableState, TaskKey, TaskLedger } from '../ports/task-ledger.js';
import type { RuntimeLedger } from '../runtime/delay-queue-runtime.js';
import type { DelayQueueTestClock } from './delay-queue-test-clock.js';

/**
 * Lets a ledger go by the clock of a test.
 *
 * Its database has a time of its own, and decides by it how long a task has still to wait: for the tasks that are written
 * through this one, the test's clock decides. Looking after rows of processes that have died is left out: there are none, and
 * in a month it would be done half a million times.
 */
export function ledgerOnTestClock(ledger: RuntimeLedger, clock: DelayQueueTestClock): RuntimeLedger {
  const tasks = tasksOnTestClock(ledger.tasks, new DueTimes(clock));
  return { ...ledger, tasks, options: { ...ledger.options, relayEveryMs: MAX_TIMER_MS, sweepEveryMs: MAX_TIMER_MS } };
}

/** When tasks are due, by the clock of a test. */
class DueTimes {
  private readonly dueAtMs = new Map<string, number>();

  constructor(private readonly clock: DelayQueueTestClock) {}

  /** Notes a due time, and answers it. */
  note(task: TaskKey, due: DueTime): number {
    const dueAtMs = 'delayMs' in due ? Math.ceil(this.clock.nowMs()) + due.delayMs : due.atMs;
    this.dueAtMs.set(nameOf(task), dueAtMs);
    return dueAtMs;
  }

  /** The row as it is by the clock of the test; one that nobody has noted stays as it is. */
  correct(row: LedgerRow): LedgerRow {
    const dueAtMs = this.dueAtMs.get(nameOf(row));
    return dueAtMs === undefined ? row : { ...row, remainingMs: dueAtMs - this.clock.nowMs() };
  }
}

/** Replaces the methods that have to do with time, and leaves the others. */
function tasksOnTestClock(ledger: TaskLedger, dueTimes: DueTimes): TaskLedger {
  const timed: Partial<TaskLedger> = {
    async stage(task, tx) {
      const result = await ledger.stage(task, tx);
      return result.status === 'duplicate' ? result : { ...result, dueAtMs: dueTimes.note(task, task.due) };
    },
    async reschedule(task, due, tx): Promise<ChangedRow | null> {
      const changed = await ledger.reschedule(task, due, tx);
      return changed && { ...changed, dueAtMs: dueTimes.note(task, due) };
    },
    async retime(task, due) {
      const staged = await ledger.retime(task, due);
      const dueAtMs = dueTimes.note(task, due);
      return staged && { ...staged, dueAtMs };
    },
    async read(rows) {
      return (await ledger.read(rows)).map((row) => dueTimes.correct(row));
    },
    async take(state: TakeableState, request) {
      return (await ledger.take(state, request)).map((row) => dueTimes.correct(row));
    },
    async takeLost(ref, request) {
      return (await ledger.takeLost(ref, request)).map((row) => dueTimes.correct(row));
    },
  };
  return new Proxy(ledger, {
    get(target, name) {
      const own: unknown = Reflect.get(timed, name);
      if (own !== undefined) return own;
      const method: unknown = Reflect.get(target, name);
      return typeof method === 'function' ? method.bind(target) : method;
    },
  });
}

function nameOf({ type, id }: TaskKey): string {
  return `${type}:${id}`;
}
