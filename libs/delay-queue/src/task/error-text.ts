import { inspect } from 'node:util';
import { clipUtf8 } from '../core/text.js';

/** Longest error text that is kept with a task, in bytes of UTF-8: a stack of some thirty frames. */
export const MAX_ERROR_BYTES = 4096;

/** Describes anything that was thrown, within {@link MAX_ERROR_BYTES}; never throws itself. */
export function errorText(error: unknown): string {
  return clipUtf8(describe(error), MAX_ERROR_BYTES);
}

function describe(error: unknown): string {
  try {
    if (error instanceof Error) return error.stack ?? `${error.name}: ${error.message}`;
    if (typeof error === 'string') return error;
    return inspect(error, { depth: 3, maxStringLength: MAX_ERROR_BYTES, breakLength: Infinity });
  } catch {
    return 'an error that cannot be described';
  }
}
