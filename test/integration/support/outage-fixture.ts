import { Redis } from 'ioredis';
import type { Mutation, MutationAnswer } from '../../../libs/delay-queue/src/ports/mutation.js';
import type { TurnRequest } from '../../../libs/delay-queue/src/ports/turn.js';
import { RedisTaskStore } from '../../../libs/delay-queue/src/redis/redis-task-store.js';
import { RedisServer } from '../../support/redis-server.js';

export const ref = { type: 't', partition: 0 };

/** Long enough for an answer on a busy machine, short enough to wait for in a test. */
export const SHORT_TIMEOUT_MS = 400;

/** So long that it is not what ends a call. */
export const LONG_TIMEOUT_MS = 10_000;

/** A turn that does nothing but claim. */
export const claim: TurnRequest = {
  ref,
  holder: 'me',
  settles: [],
  extensions: [],
  claim: { limit: 10, suspects: 'take', mayCallForHelp: false },
  arm: 'leave',
  leaseMs: 30_000,
  maxLostLeases: 5,
  deadKeepMs: 1_000,
  deadMax: 100,
};

export function schedule(id: string): Mutation {
  return { kind: 'schedule', id, due: { delayMs: 0 }, envelope: 'E', onDuplicate: 'keep' };
}

/** What became of each mutation, in words. */
export function statuses(answers: readonly MutationAnswer[]): string[] {
  return answers.map((answer) => (answer.ok ? answer.result.status : answer.error.message));
}

/** A server that a test may stop, kill or change, and a store on it that runs on the server's own time. */
export class OutageFixture {
  private constructor(
    readonly server: RedisServer,
    /** A client beside the store's, which outlives outages. */
    readonly redis: Redis,
    readonly store: RedisTaskStore,
  ) {}

  /** @param url where the store is to connect, if not to the server itself. */
  static async start(callTimeoutMs: number, url?: (server: RedisServer) => Promise<string>): Promise<OutageFixture> {
    const server = await RedisServer.start();
    const redis = new Redis(server.url, { retryStrategy: () => 20, maxRetriesPerRequest: null });
    redis.on('error', () => undefined);
    const connection = (await url?.(server)) ?? server.url;
    const store = new RedisTaskStore({ connection, prefix: 'it', callTimeoutMs });
    await store.open();
    return new OutageFixture(server, redis, store);
  }

  async stop(): Promise<void> {
    await this.store.close();
    this.redis.disconnect();
    await this.server.stop();
  }

  /** The connections of the store, by the server's numbers. */
  async storeConnections(): Promise<number[]> {
    const own = await this.redis.client('ID');
    const ids = Array.from(String(await this.redis.client('LIST')).matchAll(/^id=(\d+)/gm), ([, id]) => Number(id));
    return ids.filter((id) => id !== own);
  }
}
