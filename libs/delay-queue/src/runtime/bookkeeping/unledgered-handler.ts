import type { QueueLogger } from '../../ports/queue-event.js';
import type { DelayedTask } from '../../task/delayed-task.js';
import { TaskOutcome } from '../../task/task-outcome.js';
import { Run } from '../run.js';
import type { TaskHandler } from '../task-handler.js';

/** Wait of a task until a process with a ledger may take it; nothing is counted. */
const WAIT_MS = 10_000;

/**
 * Keeps tasks of a ledger from a process that has none: run there, their rows would never end, and they would be restored
 * and run again and again.
 */
export class UnledgeredHandler implements TaskHandler {
  readonly type: string;
  readonly name: string;
  private told = false;

  constructor(
    private readonly inner: TaskHandler,
    private readonly logger: QueueLogger,
  ) {
    this.type = inner.type;
    this.name = inner.name;
  }

  run(task: DelayedTask<string>): unknown {
    if (!(task instanceof Run) || task.ledgerRow === null) return this.inner.run(task);
    if (!this.told) {
      this.logger.error(
        `Tasks of '${this.type}' have rows in a ledger, and this process has none: set the option \`ledger\` here too. They wait.`,
      );
    }
    this.told = true;
    return TaskOutcome.snooze(WAIT_MS);
  }
}
