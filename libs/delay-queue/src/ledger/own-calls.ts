import { ConfigurationError, DelayQueueError, LedgerUnavailableError } from '../core/errors.js';

/** Error words of a table or a column that is not there: PostgreSQL, then MySQL. */
const MISSING = new Set(['42P01', '42703', 'ER_NO_SUCH_TABLE', 'ER_BAD_FIELD_ERROR']);

/** Makes the calls on the ledger's own connection: each has a time limit, and rejects with an error of this library. */
export class OwnCalls {
  constructor(private readonly timeoutMs: number) {}

  /**
   * Makes a call. One that takes too long is given up, and may still be carried out.
   *
   * @throws LedgerUnavailableError, ConfigurationError
   */
  async make<T>(call: () => Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<never>((_, reject) => {
      const error = new LedgerUnavailableError(
        `The database of the ledger gave no answer within ${this.timeoutMs} ms.`,
      );
      timer = setTimeout(() => reject(error), this.timeoutMs);
    });
    try {
      return await Promise.race([call(), tooLate]);
    } catch (error) {
      throw toLedgerError(error);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** The error of this library that a database's error means. */
function toLedgerError(error: unknown): DelayQueueError {
  if (error instanceof DelayQueueError) return error;
  const text = error instanceof Error ? error.message : String(error);
  if (isMissingTable(error)) return new ConfigurationError('ledger', `${MIGRATE}: ${text}`, { cause: error });
  return new LedgerUnavailableError(`The database of the ledger failed: ${text}`, { cause: error });
}

/** What to do when tables are missing or old. */
export const MIGRATE =
  'has no tables of this version in its database; call migrate(), or run the SQL files of the package';

/** Libraries wrap a driver's error, whose code may then stand one level below. */
function isMissingTable(error: unknown): boolean {
  const { code, driverError, cause } = (error ?? {}) as { code?: unknown; driverError?: unknown; cause?: unknown };
  if (typeof code === 'string' && MISSING.has(code)) return true;
  const inner = driverError ?? cause;
  return inner !== undefined && inner !== null && inner !== error && isMissingTable(inner);
}
