import { AssertionError } from 'node:assert';
import { inspect } from 'node:util';
import type { DelayQueueAdmin } from '../nest/delay-queue-admin.js';
import type { PageOptions, TaskPage } from '../nest/task-page.js';
import type { TaskView } from '../nest/task-view.js';
import type { TaskType } from '../task/delayed-tasks.js';
import type { DelayQueueTestClock } from './delay-queue-test-clock.js';
import { type ExpectedTask, expectationOf } from './expected-task.js';
import type { QueueWatch } from './queue-watch.js';
import type { TaskRun } from './task-run.js';

/** What the tasks of a test are read from. */
export interface TestTasksParts {
  readonly admin: DelayQueueAdmin;
  readonly clock: DelayQueueTestClock;
  readonly watch: QueueWatch;
}

/** Most tasks that an error lists. */
const MAX_LISTED = 20;

/** Shows what a queue under test has scheduled, and what its handlers have done. */
export class DelayQueueTestTasks {
  constructor(private readonly parts: TestTasksParts) {}

  /** All waiting tasks of a type, those for a retry included; the next due first. */
  async waiting<Type extends TaskType>(type: Type): Promise<readonly TaskView<Type>[]> {
    await this.parts.clock.seeRows();
    const tasks = await everyPage((page) => this.parts.admin.listWaiting(type, page));
    return tasks.toSorted((one, other) => timeOf(one.dueAt) - timeOf(other.dueAt));
  }

  /** All tasks of a type whose handlers run. */
  running<Type extends TaskType>(type: Type): Promise<readonly TaskView<Type>[]> {
    return everyPage((page) => this.parts.admin.listRunning(type, page));
  }

  /** All dead letters of a type, with reason and error; the oldest first. */
  async dead<Type extends TaskType>(type: Type): Promise<readonly TaskView<Type>[]> {
    const tasks = await everyPage((page) => this.parts.admin.listDead(type, page));
    return tasks.toSorted((one, other) => timeOf(one.diedAt) - timeOf(other.diedAt));
  }

  /** What handlers have run since the application was made, of one type or of all, in the order of their starts. */
  runs(): readonly TaskRun[];
  runs<Type extends TaskType>(type: Type): readonly TaskRun<Type>[];
  runs(type?: string): readonly TaskRun[] {
    const { runs } = this.parts.watch.log;
    return type === undefined ? runs : runs.filter((run) => run.type === type);
  }

  /**
   * Asserts that a task waits, and returns it.
   *
   * @throws AssertionError that lists the waiting tasks of the type, when none is as expected.
   * @throws InvalidArgumentError when the expectation itself is not understood.
   * @example
   * await tasks.expectScheduled('order_timeout', { id: 'order:42', payload: { orderId: '42' }, in: '30m' });
   */
  async expectScheduled<Type extends TaskType>(type: Type, expected: ExpectedTask<Type> = {}): Promise<TaskView<Type>> {
    const isExpected = expectationOf(expected, this.parts.clock.nowMs());
    const waiting = await this.waiting(type);
    const found = waiting.find(isExpected);
    if (found !== undefined) return found;
    throw this.failure(`No task of '${type}' waits as expected.`, { expected, waiting });
  }

  /**
   * Asserts that no such task waits.
   *
   * @throws AssertionError that lists the waiting tasks of the type.
   * @throws InvalidArgumentError when the expectation itself is not understood.
   */
  async expectNotScheduled<Type extends TaskType>(type: Type, expected: ExpectedTask<Type> = {}): Promise<void> {
    const isExpected = expectationOf(expected, this.parts.clock.nowMs());
    const waiting = await this.waiting(type);
    if (!waiting.some(isExpected)) return;
    throw this.failure(`A task of '${type}' waits that should not.`, { expected, waiting });
  }

  private failure(
    problem: string,
    { expected, waiting }: { readonly expected: ExpectedTask; readonly waiting: readonly TaskView[] },
  ): AssertionError {
    const listed = waiting.slice(0, MAX_LISTED).map(describeTask);
    const more = waiting.length > MAX_LISTED ? [`… and ${waiting.length - MAX_LISTED} more`] : [];
    const lines = [
      problem,
      `  expected: ${inspect(expected)}`,
      `  the clock is at ${this.parts.clock.now().toISOString()}; waiting:${waiting.length === 0 ? ' none' : ''}`,
      ...[...listed, ...more].map((line) => `    ${line}`),
    ];
    return new AssertionError({
      message: lines.join('\n'),
      expected: [expected],
      actual: waiting.slice(0, MAX_LISTED).map(({ id, payload, dueAt: at }) => ({ id, payload, at })),
    });
  }
}

async function everyPage<Type extends string>(
  read: (options: PageOptions) => Promise<TaskPage<Type>>,
): Promise<readonly TaskView<Type>[]> {
  const tasks: TaskView<Type>[] = [];
  let cursor: string | null = null;
  do {
    const page: TaskPage<Type> = await read({ cursor, limit: 500 });
    tasks.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return tasks;
}

function describeTask({ id, dueAt, payload }: TaskView): string {
  return `${inspect(id)} due ${dueAt?.toISOString()} with ${inspect(payload, { breakLength: Infinity })}`;
}

function timeOf(date: Date | null): number {
  return date?.getTime() ?? 0;
}
