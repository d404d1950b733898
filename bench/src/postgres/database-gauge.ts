import pg from 'pg';

/** Counts what a database holds. */
export class DatabaseGauge {
  private readonly client: pg.Client;
  private readonly connected: Promise<unknown>;

  constructor(url: string) {
    this.client = new pg.Client(url);
    // The server is killed at the end of a measurement.
    this.client.on('error', () => undefined);
    this.connected = this.client.connect();
  }

  /** Counts the rows of a table, or of a table and a condition. */
  async count(what: string): Promise<number> {
    await this.connected;
    const { rows } = await this.client.query<{ count: string }>(`SELECT COUNT(*) AS count FROM ${what}`);
    return Number(rows[0]?.count);
  }

  async close(): Promise<void> {
    await this.client.end();
  }
}
