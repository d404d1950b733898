import { type StoreError, StoreRejectedError, StoreUnavailableError } from '../core/errors.js';

/** What ioredis says when it had no connection to write to. */
const NOT_WRITTEN = /enableOfflineQueue options is false/;

/** A refusal of a command inside a script, as servers before 7.0 pass it on: `… @user_script: 12: -OOM command not …`. */
const NESTED_REASON = /-([A-Z]{3,}) /;

/** A missing permission inside a script, in the words of 6.2 and of 7. */
const NO_PERMISSION = /ACL failure in script|The user executing the script can't/;

/** A refusal that a cluster client gave up on after several tries. */
const LAST_REDIRECTION = /^Too many Cluster redirections\. Last error: ReplyError: /;

/** Turns what ioredis rejects a command with into an error of the store; `call` names the command. */
export function toStoreError(error: unknown, call: string): StoreError {
  const message = error instanceof Error ? error.message : String(error);
  if (isReplyError(error)) return rejection(message, call);
  if (LAST_REDIRECTION.test(message)) return rejection(message.replace(LAST_REDIRECTION, ''), call);
  if (NOT_WRITTEN.test(message)) return notConnected(call);
  return new StoreUnavailableError(
    'unknown',
    `The connection to Redis was lost before it answered ${call}: ${message}`,
  );
}

/** The error of a call that was not sent because there is no connection. */
export function notConnected(call: string, detail = ''): StoreUnavailableError {
  return new StoreUnavailableError('not_sent', `There is no connection to Redis, ${call} was not sent${detail}.`);
}

/** Tells whether a script is unknown to the server. */
export function isNoScript(error: unknown): boolean {
  return isReplyError(error) && error.message.startsWith('NOSCRIPT');
}

/** Tells whether a value is a refusal by the server, as opposed to a failure of the connection. */
export function isReplyError(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ReplyError';
}

/** The server's own word for a refusal: `OOM`, `READONLY`, `NOPERM` … */
export function rejectionReason(message: string): string {
  if (NO_PERMISSION.test(message)) return 'NOPERM';
  const first = message.split(' ', 1)[0] ?? '';
  if (first !== 'ERR') return first;
  return NESTED_REASON.exec(message)?.[1] ?? first;
}

function rejection(message: string, call: string): StoreRejectedError {
  return new StoreRejectedError(rejectionReason(message), `Redis refused ${call}: ${message}`);
}
