import { z } from 'zod';
import { type DurationBounds, parseDurationMs } from '../core/duration.js';
import { InvalidArgumentError } from '../core/errors.js';

/** Reads an option that is a duration, in milliseconds. */
export function durationMs(bounds: DurationBounds = {}) {
  return z.unknown().transform((value, context) => {
    try {
      // The path of the option is put in front of the message where the issue is reported.
      return parseDurationMs(value, '', bounds);
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error;
      context.addIssue({ code: 'custom', message: error.message.replace(/^: /, '') });
      return z.NEVER;
    }
  });
}
