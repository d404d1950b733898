import { DelayQueueError } from '../core/errors.js';
import type { ScheduleResult } from './schedule-options.js';

/** Some tasks of a `scheduleMany` could not be scheduled; the others were. */
export class PartialScheduleError extends DelayQueueError {
  override readonly name = 'PartialScheduleError';

  constructor(
    /** One entry per item, in order: its result, or the error that kept it from having one. */
    readonly results: readonly (ScheduleResult | Error)[],
  ) {
    const errors = results.filter((result) => result instanceof Error);
    const [first] = errors;
    const message = `${errors.length} of ${results.length} tasks were not scheduled; the first error: ${first?.message}`;
    super('partial_schedule', message, { cause: first });
  }
}
