import { PGlite } from '@electric-sql/pglite';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';

/**
 * A PostgreSQL inside this process, in memory, on a free port of 127.0.0.1.
 *
 * It is one database session for all its clients, so **a client must use a single connection**: outside of transactions
 * the socket server mixes the protocol steps of its connections, and queries then hang or answer each other's question.
 */
export class EmbeddedPostgres {
  private constructor(
    private readonly database: PGlite,
    private readonly server: PGLiteSocketServer,
    /** Port on 127.0.0.1. */
    readonly port: number,
  ) {}

  /** Starts an empty database; takes a few seconds. */
  static async start(): Promise<EmbeddedPostgres> {
    const database = await PGlite.create();
    // Two, because a client's next connection may open before its last one is quite closed.
    const server = new PGLiteSocketServer({ db: database, host: '127.0.0.1', port: 0, maxConnections: 2 });
    try {
      await server.start();
    } catch (error) {
      await database.close();
      throw error;
    }
    return new EmbeddedPostgres(database, server, portOf(server));
  }

  /** Ends the server; its data are gone. */
  async stop(): Promise<void> {
    await this.server.stop();
    await this.database.close();
  }
}

function portOf(server: PGLiteSocketServer): number {
  const address = server.getServerConn();
  return Number(address.slice(address.lastIndexOf(':') + 1));
}
