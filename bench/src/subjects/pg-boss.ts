import { PgBoss } from 'pg-boss';
import { OrderDatabase } from './order-database.js';
import { failOnError, firstType, type OpenOptions, type SubjectSession } from './subject.js';

/** pg-boss with its defaults; its queue is in the database, and no Redis is used. Jobs have ids of its own making. */
export async function openPgBoss({ types, consume, database }: OpenOptions): Promise<SubjectSession> {
  if (database === null) throw new Error('pg-boss needs a database');
  if (consume !== null) throw new Error('pg-boss takes part in rows that only schedule');
  const orders = await OrderDatabase.open(database.url);
  const boss = new PgBoss({ connectionString: database.url, max: orders.pool.options.max });
  boss.on('error', failOnError);
  await boss.start();
  const queue = firstType(types);
  await boss.createQueue(queue);

  return {
    async schedule({ payload, dueAtMs }) {
      expectSent(await boss.send(queue, payload, { startAfter: new Date(dueAtMs) }));
    },
    async scheduleWithOrder(task) {
      await orders.place(task, async (tx) => {
        const db = { executeSql: (text: string, values: unknown[] = []) => tx.query(text, values) };
        expectSent(await boss.send(queue, task.payload, { startAfter: new Date(task.dueAtMs), db }));
      });
    },
    scheduleMany: notMeasured,
    cancel: notMeasured,
    reschedule: notMeasured,
    async countWaiting() {
      // Its own counts are up to a minute old.
      const sql = `SELECT COUNT(*) AS count FROM pgboss.job WHERE name = $1 AND state = 'created'`;
      const { rows } = await orders.pool.query<{ count: string }>(sql, [queue]);
      return Number(rows[0]?.count);
    },
    async close() {
      await boss.stop();
      await orders.close();
    },
  };
}

function expectSent(id: string | null): void {
  if (id === null) throw new Error('the job was not created');
}

function notMeasured(): Promise<never> {
  return Promise.reject(new Error('is not measured with pg-boss'));
}
