import { InvalidArgumentError } from '../core/errors.js';
import type { LedgerConnection } from '../task/ledger-connection.js';

/** Options of a call, and the transaction that it belongs to. */
export interface TakenTransaction {
  /** Null for a call without one. */
  readonly tx: LedgerConnection | null;
  /** Everything else, checked by others. */
  readonly rest: unknown;
}

/**
 * Takes the transaction out of a call's options.
 *
 * @throws InvalidArgumentError when it is there and is nothing: the call would not be part of what the caller thinks.
 */
export function takeTransaction(options: unknown): TakenTransaction {
  if (typeof options !== 'object' || options === null || !Object.hasOwn(options, 'tx'))
    return { tx: null, rest: options };
  const { tx, ...rest } = options as { readonly tx: unknown };
  if (typeof tx !== 'object' && typeof tx !== 'function') {
    throw new InvalidArgumentError('tx', `must be the transaction, got ${typeof tx}`);
  }
  if (tx === null) throw new InvalidArgumentError('tx', 'must be the transaction, got null');
  if (Object.hasOwn(rest, 'durability')) {
    throw new InvalidArgumentError('durability', 'cannot stand beside `tx`: the task is as durable as the transaction');
  }
  return { tx: tx as LedgerConnection, rest };
}
