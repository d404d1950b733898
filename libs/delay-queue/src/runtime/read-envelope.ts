import { decodeEnvelope, type TaskEnvelope } from '../task/envelope.js';
import { NO_HEADERS } from '../task/task-headers.js';

/** Stands for an envelope that cannot be read; no handler ever sees it. */
export const UNREADABLE: TaskEnvelope = {
  payload: null,
  life: '',
  version: 1,
  overrides: {},
  headers: NO_HEADERS,
  ledgerCheck: false,
  ledgerRow: null,
};

/** Reads an envelope, or returns why it cannot be read. */
export function readEnvelope(text: string): TaskEnvelope | Error {
  try {
    return decodeEnvelope(text);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
