import { type Cluster, Redis, type RedisOptions } from 'ioredis';
import { ConfigurationError } from '../core/errors.js';

/** A client of ioredis. */
export type RedisClient = Redis | Cluster;

/**
 * How to reach Redis: a URL, options of ioredis, a client of the application's, or a function that makes one.
 *
 * A client is only duplicated: its connection is not used, and it is never closed. A function is called once; the client
 * that it returns serves as the pattern and is disconnected. `keyPrefix` is refused, because it would reach the keys of a
 * call but not the names of channels.
 */
export type RedisConnectionOption = string | RedisOptions | RedisClient | (() => RedisClient);

/** Longest wait between two attempts to connect, so that work goes on soon after Redis is back. */
const MAX_RECONNECT_DELAY_MS = 1_000;

/** Longest wait for one attempt to connect; a server that drops packets is asked again instead of waited for. */
const MAX_CONNECT_MS = 5_000;

/** Wait before the n-th attempt to connect: 50 ms, doubled each time, with some randomness against stampedes. */
export function reconnectDelayMs(attempt: number): number {
  const fullMs = Math.min(MAX_RECONNECT_DELAY_MS, 50 * 2 ** (attempt - 1));
  return Math.round(fullMs * (0.75 + 0.25 * Math.random()));
}

/**
 * What our connections need, whatever the application's client has: nothing is queued and nothing is sent twice, for a
 * claim that is sent again is a second claim; commands in flight fail when the connection does; connecting never ends.
 */
const OWN_OPTIONS = {
  lazyConnect: true,
  enableOfflineQueue: false,
  enableAutoPipelining: false,
  autoResendUnfulfilledCommands: false,
  autoResubscribe: false,
  // 0 fails what is in flight as soon as the connection is lost; null would leave it pending for ever.
  maxRetriesPerRequest: 0,
  reconnectOnError: null,
  retryStrategy: reconnectDelayMs,
  sentinelRetryStrategy: reconnectDelayMs,
  stringNumbers: false,
  replyMapping: 'legacy',
  monitor: false,
  readOnly: false,
  noDelay: true,
  // Finds a peer that vanished without closing, also on a connection that only listens.
  keepAlive: 10_000,
  // A socket whose peer does not answer our closing is destroyed after this long.
  disconnectTimeout: 250,
  maxLoadingRetryTime: 500,
} satisfies RedisOptions;

/** Limits of the application's that would cut our calls short, and its scripts: unset, so that they are not inherited. */
const UNSET_OPTIONS = Object.fromEntries(
  ['commandTimeout', 'socketTimeout', 'blockingTimeout', 'scripts'].map((name) => [name, undefined]),
) as Pick<RedisOptions, 'commandTimeout'>;

/** The pattern after which all our connections are made. */
export class ClientPattern {
  private constructor(private readonly pattern: RedisClient) {
    refuseKeyPrefix(pattern);
  }

  /**
   * @throws ConfigurationError when nothing usable was given, or a `keyPrefix` is set.
   */
  static from(option: RedisConnectionOption): ClientPattern {
    if (typeof option === 'function') return ClientPattern.fromFactory(option);
    if (typeof option === 'string') return new ClientPattern(new Redis(option, { lazyConnect: true }));
    if (typeof option !== 'object' || option === null) {
      throw new ConfigurationError('connection', `must be a URL, ioredis options or a client, got ${typeof option}`);
    }
    if (isClient(option)) return new ClientPattern(option);
    return new ClientPattern(new Redis({ ...option, lazyConnect: true, replyMapping: 'legacy' }));
  }

  private static fromFactory(factory: () => RedisClient): ClientPattern {
    const client: unknown = factory();
    if (typeof client !== 'object' || client === null || !isClient(client)) {
      throw new ConfigurationError('connection', 'the function must return a client of ioredis');
    }
    try {
      return new ClientPattern(client);
    } finally {
      // It may have begun to connect; an error on the way is of no interest any more.
      client.on('error', () => undefined);
      client.disconnect();
    }
  }

  get isCluster(): boolean {
    return this.pattern.isCluster;
  }

  /**
   * A client for commands that is not connected yet.
   *
   * @param maxSilenceMs how long a node of a cluster may answer nothing until its connection is given up.
   */
  commandClient(maxSilenceMs: number): RedisClient {
    return isClusterClient(this.pattern) ? duplicateCluster(this.pattern, maxSilenceMs) : duplicateRedis(this.pattern);
  }

  /**
   * A client for one subscription, which ends with its connection; null when a cluster knows no node yet.
   *
   * In a cluster it is a connection to any one node, because a published text reaches all of them.
   */
  subscriberClient(commandClient: RedisClient): Redis | null {
    if (!isClusterClient(commandClient)) return duplicateRedis(this.pattern as Redis, { retryStrategy: null });
    const nodes = commandClient.nodes();
    const node = nodes[Math.floor(Math.random() * nodes.length)];
    return node === undefined ? null : duplicateRedis(node, { retryStrategy: null });
  }
}

function isClient(value: object): value is RedisClient {
  return 'duplicate' in value && typeof value.duplicate === 'function';
}

function isClusterClient(client: RedisClient): client is Cluster {
  return client.isCluster;
}

function duplicateRedis(pattern: Redis, overrides: RedisOptions = {}): Redis {
  const connectTimeout = Math.min(pattern.options.connectTimeout ?? MAX_CONNECT_MS, MAX_CONNECT_MS);
  return pattern.duplicate({ ...OWN_OPTIONS, ...UNSET_OPTIONS, connectTimeout, ...overrides });
}

function duplicateCluster(pattern: Cluster, maxSilenceMs: number): Cluster {
  return pattern.duplicate([], {
    lazyConnect: true,
    // Without it a node refuses what is sent while it is being connected to, which happens with its first command.
    enableOfflineQueue: true,
    enableAutoPipelining: false,
    scaleReads: 'master',
    clusterRetryStrategy: reconnectDelayMs,
    // Would send a command again that may have been carried out.
    retryDelayOnFailover: 0,
    // Would carry a command out after those that were sent later; the caller is told instead and tries again.
    retryDelayOnClusterDown: 0,
    // The socket timeout of ioredis 5 outlives its connection and would hit the next one, but a node has only one.
    redisOptions: { ...pattern.options.redisOptions, ...OWN_OPTIONS, ...UNSET_OPTIONS, socketTimeout: maxSilenceMs },
  });
}

function refuseKeyPrefix(client: RedisClient): void {
  const nested = isClusterClient(client) ? client.options.redisOptions?.keyPrefix : undefined;
  const keyPrefix = client.options.keyPrefix || nested;
  if (!keyPrefix) return;
  throw new ConfigurationError(
    'connection.keyPrefix',
    `'${keyPrefix}' is not supported, because it does not reach the names of channels; use the option 'prefix' instead`,
  );
}
