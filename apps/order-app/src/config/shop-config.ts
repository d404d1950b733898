import { type ConfigType, registerAs } from '@nestjs/config';
import { parseTimeSpanMs } from './time-span.js';

/** Settings of the shop, read from environment variables. */
export interface ShopConfig {
  /** `PORT`: where the shop listens. @default 3000 */
  readonly port: number;
  /** `DATABASE_URL`: the PostgreSQL server; null starts one inside this process, empty at every start. */
  readonly databaseUrl: string | null;
  /** `DATABASE_POOL_SIZE`: connections to that server. @default 10 */
  readonly databasePoolSize: number;
  /** `REDIS_URL`: where delayed tasks are kept; null keeps them in this process's memory. */
  readonly redisUrl: string | null;
  /** `QUEUE_PREFIX`: begins every Redis key. @default 'shop' */
  readonly queuePrefix: string;
  /** `ORDER_TIMEOUT`: time in which an order must be paid. @default '30m' */
  readonly orderTimeoutMs: number;
  /** `ORDER_TIMEOUT_RETRY_DELAY`: wait after the first failed try to cancel an order; doubled with each further one. @default '5s' */
  readonly retryDelayMs: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

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
export function readShopConfig(env: Environment): ShopConfig {
  const isProduction = env['NODE_ENV'] === 'production';
  return {
    port: readWholeNumber(env, 'PORT', { byDefault: 3_000, min: 0, max: 65_535 }),
    databaseUrl: readUrl(env, 'DATABASE_URL', isProduction),
    databasePoolSize: readWholeNumber(env, 'DATABASE_POOL_SIZE', { byDefault: 10, min: 1, max: 1_000 }),
    redisUrl: readUrl(env, 'REDIS_URL', isProduction),
    queuePrefix: env['QUEUE_PREFIX'] || 'shop',
    orderTimeoutMs: parseTimeSpanMs(env['ORDER_TIMEOUT'] || '30m', 'ORDER_TIMEOUT'),
    retryDelayMs: parseTimeSpanMs(env['ORDER_TIMEOUT_RETRY_DELAY'] || '5s', 'ORDER_TIMEOUT_RETRY_DELAY'),
  };
}

function readWholeNumber(
  env: Environment,
  name: string,
  { byDefault, min, max }: { readonly byDefault: number; readonly min: number; readonly max: number },
): number {
  const text = env[name] || String(byDefault);
  const value = Number(text);
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new Error(`${name}: must be a whole number from ${min} to ${max}, got '${text}'`);
}

function readUrl(env: Environment, name: string, required: boolean): string | null {
  const text = env[name] || null;
  if (text === null && required) throw new Error(`${name}: must be set when NODE_ENV is 'production'`);
  if (text !== null && !URL.canParse(text)) throw new Error(`${name}: must be a URL`);
  return text;
}
