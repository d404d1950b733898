import { inspect } from 'node:util';
import { clipUtf8 } from '../core/text.js';

/** Longest error text that is kept with a task, in bytes of UTF-8: a stack of some thirty frames. */
export const MAX_ERROR_BYTES = 4096;

/** Longest chain of causes that is described; it also ends one that leads back to itself. */
const MAX_CAUSES = 3;

/** Describes anything that was thrown, and what caused it, within {@link MAX_ERROR_BYTES}; never throws itself. */
export function errorText(error: unknown): string {
  return clipUtf8(describe(error, MAX_CAUSES), MAX_ERROR_BYTES);
}

function describe(error: unknown, causes: number): string {
  try {
    if (error instanceof Error) return describeError(error, causes);
    if (typeof error === 'string') return error;
    return inspect(error, { depth: 3, maxStringLength: MAX_ERROR_BYTES, breakLength: Infinity });
  } catch {
    return 'an error that cannot be described';
  }
}

function describeError(error: Error, causes: number): string {
  const { stack, cause } = error;
  // Anything may stand in `stack`, whatever its type says.
  const text = typeof stack === 'string' && stack !== '' ? stack : `${error.name}: ${error.message}`;
  return cause === undefined || causes === 0 ? text : `${text}\nCaused by: ${describe(cause, causes - 1)}`;
}
