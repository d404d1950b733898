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
  // Prisma's texts go over several lines.
  const text = (error instanceof Error ? error.message : String(error)).trim().replaceAll(/\s+/g, ' ');
  if (isMissingTable(error)) return new ConfigurationError('ledger', `${MIGRATE}: ${text}`, { cause: error });
  return new LedgerUnavailableError(`The database of the ledger failed: ${text}`, { cause: error });
}

/** What to do when tables are missing or old. */
export const MIGRATE =
  'has no tables of this version in its database; call migrate(), or run the SQL files of the package';

/** Libraries wrap a driver's error, whose code then stands some levels below. */
function isMissingTable(error: unknown): boolean {
  for (const each of withInnerErrors(error)) {
    const { code, originalCode } = each as { code?: unknown; originalCode?: unknown };
    if ([code, originalCode].some((found) => typeof found === 'string' && MISSING.has(found))) return true;
  }
  return false;
}

/** An error and what it wraps: TypeORM's `driverError`, Prisma's `meta.driverAdapterError`, anybody's `cause`. */
function withInnerErrors(error: unknown): ReadonlySet<object> {
  const found = new Set<object>();
  const add = (candidate: unknown): void => {
    if (typeof candidate !== 'object' || candidate === null || found.has(candidate)) return;
    found.add(candidate);
    const { cause, driverError, meta, driverAdapterError } = candidate as Readonly<Record<string, unknown>>;
    for (const inner of [cause, driverError, meta, driverAdapterError]) add(inner);
  };
  add(error);
  return found;
}
