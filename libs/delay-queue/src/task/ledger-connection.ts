/** A connection or a transaction with `query(sql, parameters)`: of `pg`, `mysql2/promise`, `mariadb`, TypeORM. */
export interface QueryingConnection {
  query(sql: string, parameters?: unknown[]): Promise<unknown>;
}

/** A client or a transaction of Prisma. */
export interface RawCallingConnection {
  $queryRawUnsafe(sql: string, ...parameters: unknown[]): PromiseLike<unknown>;
  $executeRawUnsafe(sql: string, ...parameters: unknown[]): PromiseLike<number>;
}

/**
 * A connection to the database of the ledger, as the application's own library has it: in a transaction, or not.
 *
 * @example
 * await dataSource.transaction(async (tx) => {
 *   await tx.insert(Order, order);
 *   await delayQueue.schedule('order_timeout', { orderId: order.id }, { delay: '30m', tx });
 * });
 */
export type LedgerConnection = QueryingConnection | RawCallingConnection;
