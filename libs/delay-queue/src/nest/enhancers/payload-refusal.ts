import { HttpException, HttpStatus } from '@nestjs/common';
import { TaskOutcome } from '../../task/task-outcome.js';

/** Begins the reason of a dead letter whose payload a pipe has refused. */
export const REASON_PAYLOAD_REFUSED = 'payload refused';

/** What Nest's pipes throw about an input that they will refuse every time. */
const REFUSALS: readonly number[] = [HttpStatus.BAD_REQUEST, HttpStatus.UNPROCESSABLE_ENTITY];

/** Tells whether what a pipe threw is a verdict on the input, and no mishap of the pipe. */
export function isRefusal(error: unknown): error is HttpException {
  return error instanceof HttpException && REFUSALS.includes(error.getStatus());
}

/** The end of a task whose payload was refused: trying again would not change it. */
export function buryRefused(error: HttpException): TaskOutcome {
  return TaskOutcome.bury(`${REASON_PAYLOAD_REFUSED}: ${complaints(error).join('; ')}`, error);
}

/** What `ValidationPipe` has found stands in the response, and not in the message of the error. */
function complaints(error: HttpException): readonly string[] {
  const response = error.getResponse();
  const message: unknown = typeof response === 'object' && 'message' in response ? response.message : response;
  const found = (Array.isArray(message) ? message : [message]).filter((line) => typeof line === 'string');
  return found.length > 0 ? found : [error.message];
}
