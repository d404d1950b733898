import { InvalidArgumentError } from '../../core/errors.js';
import type { SchedulingStatus, SchedulingTrace, TaskToCarry } from '../../ports/task-tracer.js';
import { readTaskHeaders, type TaskHeaders } from '../../task/task-headers.js';
import type { TracerCalls } from './tracer-calls.js';

/** Most bytes of JSON that a trace may add to a task: twice what W3C baggage may have, and small beside a store call. */
const MAX_HEADER_BYTES = 16_384;

/** The trace of one call of a producer, kept from doing harm. */
export class GuardedScheduling {
  constructor(
    private readonly trace: SchedulingTrace,
    private readonly calls: TracerCalls,
  ) {}

  /** Makes the call in the context of the trace, and tells the trace how it ended. */
  async follow<Result extends object>(call: () => Promise<Result>): Promise<Result> {
    try {
      const result = await this.calls.within(this.trace, call);
      this.calls.attempt(() => this.trace.succeeded(statusOf(result)));
      return result;
    } catch (error) {
      this.calls.attempt(() => this.trace.failed(error));
      throw error;
    }
  }

  /** The headers of a task, its own and those of the trace; its own alone when those of the trace cannot be stored. */
  headersFor(task: TaskToCarry): TaskHeaders {
    const added = this.calls.attempt(() => readTraceHeaders(this.trace.headersFor(task)));
    return added === undefined ? task.headers : { ...added, ...task.headers };
  }
}

function readTraceHeaders(given: unknown): TaskHeaders {
  const headers = readTaskHeaders(given);
  const bytes = Buffer.byteLength(JSON.stringify(headers));
  if (bytes <= MAX_HEADER_BYTES) return headers;
  throw new InvalidArgumentError('headers', `of a trace are ${bytes} bytes of JSON, the limit is ${MAX_HEADER_BYTES}`);
}

function statusOf(result: object): SchedulingStatus | null {
  return 'status' in result ? (result.status as SchedulingStatus) : null;
}
