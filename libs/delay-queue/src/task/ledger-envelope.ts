import { OWN_HEADER_PREFIX } from './task-headers.js';

/** Header of a task whose row in the ledger must be looked at before it is run, also at its first delivery. */
export const LEDGER_CHECK_HEADER = `${OWN_HEADER_PREFIX}ledger-check`;

/** Positions of an envelope, see `encodeEnvelope`. */
const HEADERS = 4;
const LEDGER_ROW = 5;

/**
 * Marks the task of an envelope: its row is looked at before it is run.
 *
 * Works on the positions alone, so whatever else a version of the envelope carries stays as it is.
 */
export function withLedgerCheck(envelope: string): string {
  const positions = JSON.parse(envelope) as unknown[];
  const headers = positions[HEADERS] as Readonly<Record<string, string>> | null | undefined;
  positions[HEADERS] = { ...headers, [LEDGER_CHECK_HEADER]: '1' };
  return JSON.stringify(positions);
}

/** The row of the task in the ledger; null for a task without one, and for an envelope that cannot be read. */
export function ledgerRowOf(envelope: string): string | null {
  try {
    const positions: unknown = JSON.parse(envelope);
    const row: unknown = Array.isArray(positions) ? positions[LEDGER_ROW] : null;
    return typeof row === 'string' ? row : null;
  } catch {
    return null;
  }
}
