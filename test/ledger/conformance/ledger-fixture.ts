import { randomBytes } from 'node:crypto';
import { SqlLedger } from 'nestjs-delay-queue/ledger';
import { newLedgerRow } from '../../../libs/delay-queue/src/core/ids.js';
import type {
  LedgerOpenOptions,
  NewLedgerTask,
  StageResult,
  TaskLedger,
} from '../../../libs/delay-queue/src/ports/task-ledger.js';
import type { LedgerConnection } from '../../../libs/delay-queue/src/task/ledger-connection.js';
import type { LedgerDatabase } from '../support/ledger-database.js';

/** The task type of these tests. */
export const TYPE = 'order_timeout';

/** The only partition of that type. */
export const PARTITION = { type: TYPE, partition: 0 } as const;

/** How a test opens its ledger, unless it says otherwise: whoever looks finds everything at once. */
const OPTIONS: Omit<LedgerOpenOptions, 'queue'> = {
  callTimeoutMs: 20_000,
  relayAfterMs: 0,
  sweepAfterMs: 0,
};

/** Long enough that a row that was taken is held for the rest of a test. */
export const HOLD_MS = 600_000;

/** One queue's ledger, with a name that no other test uses. */
export class LedgerFixture {
  readonly queue = `test-${randomBytes(6).toString('hex')}`;
  readonly ledger: TaskLedger;
  private readonly backend: SqlLedger;

  constructor(
    readonly database: LedgerDatabase,
    private readonly options: Partial<LedgerOpenOptions> = {},
  ) {
    this.backend = new SqlLedger(database);
    this.ledger = this.open();
  }

  /** Opens the ledger once more, as another process does. */
  open(options: Partial<LedgerOpenOptions> = {}): TaskLedger {
    return this.backend.open({ ...OPTIONS, queue: this.queue, ...this.options, ...options });
  }

  /** A task that is due in a minute. */
  task(id: string, parts: Partial<NewLedgerTask> = {}): NewLedgerTask {
    return {
      row: newLedgerRow(Date.now()),
      type: TYPE,
      id,
      partition: 0,
      envelope: `[1,{"id":${JSON.stringify(id)}},"m5d4ruo0abc123"]`,
      due: { delayMs: 60_000 },
      onDuplicate: 'keep',
      dedupeForMs: 0,
      ...parts,
    };
  }

  /** Stages a task in a transaction of its own, and answers its row. */
  async stage(id: string, parts: Partial<NewLedgerTask> = {}): Promise<StageResult> {
    return this.transaction((tx) => this.ledger.stage(this.task(id, parts), tx));
  }

  /** Stages a task and marks it as indexed. */
  async index(id: string, parts: Partial<NewLedgerTask> = {}): Promise<string> {
    const { row } = await this.stage(id, parts);
    await this.markIndexed(row);
    return row;
  }

  async markIndexed(row: string): Promise<void> {
    const [found] = await this.ledger.read([row]);
    if (found === undefined) throw new Error(`there is no row ${row}`);
    const { version, epoch } = found;
    await this.ledger.markIndexed([{ row, version, epoch }]);
  }

  async stateOf(row: string): Promise<string | undefined> {
    return (await this.ledger.states([row])).get(row);
  }

  transaction<T>(work: (tx: LedgerConnection) => Promise<T>): Promise<T> {
    return this.database.transaction(work);
  }
}

/** A transaction that ends when a test says so. */
export class OpenTransaction {
  private readonly end: Promise<void>;
  private decide: (how: 'commit' | 'rollback') => void = () => undefined;

  private constructor(database: LedgerDatabase, work: (tx: LedgerConnection) => Promise<void>, begun: () => void) {
    const decision = new Promise<'commit' | 'rollback'>((resolve) => (this.decide = resolve));
    this.end = database
      .transaction(async (tx) => {
        await work(tx);
        begun();
        if ((await decision) === 'rollback') throw new RolledBack();
      })
      .catch((error: unknown) => {
        if (!(error instanceof RolledBack)) throw error;
      });
  }

  /** Begins a transaction and resolves when its work is done. */
  static async begin(
    database: LedgerDatabase,
    work: (tx: LedgerConnection) => Promise<unknown>,
  ): Promise<OpenTransaction> {
    return new Promise((resolve, reject) => {
      const transaction: OpenTransaction = new OpenTransaction(
        database,
        async (tx) => void (await work(tx)),
        () => resolve(transaction),
      );
      transaction.end.catch(reject);
    });
  }

  commit(): Promise<void> {
    this.decide('commit');
    return this.end;
  }

  rollback(): Promise<void> {
    this.decide('rollback');
    return this.end;
  }
}

class RolledBack extends Error {}
