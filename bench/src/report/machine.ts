import { cpus, loadavg, totalmem } from 'node:os';
import { postgresVersion } from '../postgres/postgres-server.js';
import { redisVersion } from '../redis/redis-server.js';

/** One line about what the figures were taken on. */
export async function describeMachine({ database }: { readonly database: boolean }): Promise<string> {
  const [cpu] = cpus();
  const [load = 0] = loadavg();
  const memoryGb = (totalmem() / 2 ** 30).toFixed(0);
  const parts = [
    new Date().toISOString().slice(0, 16),
    `${cpus().length} × ${cpu?.model.trim() ?? 'unknown processor'}`,
    `${memoryGb} GiB`,
    `Node ${process.version}`,
    `Redis ${await redisVersion()}`,
    ...(database ? [`PostgreSQL ${await postgresVersion()}`] : []),
    `load before ${load.toFixed(2)}`,
  ];
  return parts.join(' · ');
}
