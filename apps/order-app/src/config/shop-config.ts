import { type ConfigType, registerAs } from '@nestjs/config';
import { parseTimeSpanMs } from './time-span.js';

/** Settings of the shop, read from environment variables. */
export interface ShopConfig {
  /** `PORT`: where the shop listens. @default 3000 */
  readonly port: number;
  /** `DATABASE_URL`: the PostgreSQL server; null starts one inside this process, empty at every start. */
  readonly databaseUrl: string | null;
  /** `REDIS_URL`: where delayed tasks are kept; null keeps them in this process's memory. */
  readonly redisUrl: string | null;
  /** `QUEUE_PREFIX`: begins every Redis key. @default 'shop' */
  readonly queuePrefix: string;
  /** `ORDER_TIMEOUT`: time in which an order must be paid. @default '30m' */
  readonly orderTimeoutMs: number;
  /** `ORDER_TIMEOUT_RETRY_DELAY`: wait after the first failed try to cancel an order; doubled with each further one. @default '5s' */
  readonly retryDelayMs: number;
}

/** Registers the settings; inject them with `@Inject(shopConfig.KEY)`. */
export const shopConfig = registerAs('shop', () => readShopConfig(process.env));

/** What is injected under `shopConfig.KEY`. */
export type InjectedShopConfig = ConfigType<typeof shopConfig>;

/**
 * Reads the settings; a variable that is empty counts as not set.
 *
 * @throws Error naming the variable that is not acceptable. In production that includes a missing `DATABASE_URL` or
 *   `REDIS_URL`: what is kept inside the process is lost with it, and every replica would have a shop of its own.
 */
export function readShopConfig(env: Readonly<Record<string, string | undefined>>): ShopConfig {
  const isProduction = env['NODE_ENV'] === 'production';
  return {
    port: readPort(env),
    databaseUrl: readUrl(env, 'DATABASE_URL', isProduction),
    redisUrl: readUrl(env, 'REDIS_URL', isProduction),
    queuePrefix: env['QUEUE_PREFIX'] || 'shop',
    orderTimeoutMs: parseTimeSpanMs(env['ORDER_TIMEOUT'] || '30m', 'ORDER_TIMEOUT'),
    retryDelayMs: parseTimeSpanMs(env['ORDER_TIMEOUT_RETRY_DELAY'] || '5s', 'ORDER_TIMEOUT_RETRY_DELAY'),
  };
}

function readPort(env: Readonly<Record<string, string | undefined>>): number {
  const text = env['PORT'] || '3000';
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new Error(`PORT: must be a whole number from 0 to 65535, got '${text}'`);
}

function readUrl(env: Readonly<Record<string, string | undefined>>, name: string, required: boolean): string | null {
  const text = env[name] || null;
  if (text === null && required) throw new Error(`${name}: must be set when NODE_ENV is 'production'`);
  if (text !== null && !URL.canParse(text)) throw new Error(`${name}: must be a URL`);
  return text;
}
