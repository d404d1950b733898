/** The app's embedded PostgreSQL in a process of its own; tells its parent the port and ends with it. */
import { EmbeddedPostgres } from '../../../apps/order-app/src/database/embedded-postgres.js';

async function serve(): Promise<void> {
  process.on('disconnect', () => process.exit());
  const { port } = await EmbeddedPostgres.start();
  process.send?.(port);
}

void serve();
