import { Redis } from 'ioredis';
import type { PartitionRef } from '../../../libs/delay-queue/src/core/partition.js';
import type { Mutation, MutationResult } from '../../../libs/delay-queue/src/ports/mutation.js';
import type { ClaimRequest, TurnReply, TurnRequest } from '../../../libs/delay-queue/src/ports/turn.js';
import { PARTITION_KEYS, RedisKeys } from '../../../libs/delay-queue/src/redis/keys.js';
import { RedisTaskStore } from '../../../libs/delay-queue/src/redis/redis-task-store.js';
import { RedisServer, type RedisServerOptions } from '../../support/redis-server.js';
import { RedisTestClock, testClockScripts } from '../../support/test-clock-scripts.js';

/** Where the fixture's clock stands at the beginning of each test: a quarter past a millisecond, so that rounding shows. */
export const NOW_MS = Date.UTC(2025, 0, 1);
export const NOW_US = NOW_MS * 1_000 + 250;

type KeyName = (typeof PARTITION_KEYS)[number];

/** What stands in one partition: sorted sets as `[id, score]`, hashes as `[field, value]` in order of field, texts. */
export type Contents = Partial<Record<KeyName, string | (readonly [string, string])[]>>;

type TurnChanges = Partial<Omit<TurnRequest, 'claim'>> & { readonly claim?: Partial<ClaimRequest> | null };

/** One partition in a real Redis, with the clock in the hands of the test and a view of the very keys. */
export class PartitionFixture {
  readonly ref: PartitionRef = { type: 't', partition: 0 };
  readonly channel: string;
  private readonly keys: readonly string[];

  private constructor(
    readonly server: RedisServer,
    readonly store: RedisTaskStore,
    readonly clock: RedisTestClock,
    /** A client beside the store's. */
    readonly redis: Redis,
  ) {
    const names = new RedisKeys('it');
    this.keys = names.partition(this.ref);
    this.channel = names.channel(this.ref);
  }

  static async start(options: RedisServerOptions = {}): Promise<PartitionFixture> {
    const server = await RedisServer.start(options);
    const connection = server.url;
    const store = new RedisTaskStore({ connection, prefix: 'it', callTimeoutMs: 10_000, scripts: testClockScripts() });
    const fixture = new PartitionFixture(server, store, new RedisTestClock(connection), new Redis(connection));
    await store.open();
    return fixture;
  }

  async stop(): Promise<void> {
    await this.store.close();
    this.clock.close();
    this.redis.disconnect();
    await this.server.stop();
  }

  /** Empties the server and puts the clock back. */
  async reset(): Promise<void> {
    await this.redis.flushall();
    await this.clock.setUs(NOW_US);
  }

  /** Moves the clock to so long after its beginning. */
  async at(afterMs: number): Promise<void> {
    await this.clock.setUs(NOW_US + afterMs * 1_000);
  }

  key(name: KeyName): string {
    return this.keys[PARTITION_KEYS.indexOf(name)] ?? '';
  }

  /** Everything that stands in the partition; keys that do not exist are left out. */
  async contents(): Promise<Contents> {
    const contents: Contents = {};
    for (const name of PARTITION_KEYS) {
      const value = await this.read(this.key(name));
      if (value !== null) contents[name] = value;
    }
    return contents;
  }

  async mutate(...mutations: readonly Mutation[]): Promise<readonly MutationResult[]> {
    const answers = await this.store.mutate(this.ref, mutations);
    return answers.map((answer) => {
      if (!answer.ok) throw answer.error;
      return answer.result;
    });
  }

  async schedule(id: string, delayMs = 0, envelope = `E(${id})`): Promise<void> {
    await this.mutate({ kind: 'schedule', id, due: { delayMs }, envelope, onDuplicate: 'keep' });
  }

  /** A turn that claims nothing and leaves the arm, but for the changes. */
  async turn({ claim, ...changes }: TurnChanges = {}): Promise<TurnReply> {
    return this.store.turn({
      ref: this.ref,
      holder: 'me',
      settles: [],
      extensions: [],
      arm: 'leave',
      leaseMs: 30_000,
      maxLostLeases: 5,
      deadKeepMs: 86_400_000,
      deadMax: 10_000,
      ...changes,
      claim: claim ? { limit: 100, suspects: 'take', mayCallForHelp: false, ...claim } : null,
    });
  }

  /** Claims whatever is due; returns the fence. */
  async claim(changes: TurnChanges = {}): Promise<number> {
    const { claimed } = await this.turn({ claim: {}, ...changes });
    const [first] = claimed;
    if (first === undefined) throw new Error('nothing was claimed');
    return first.fence;
  }

  /** Schedules a task, claims it and buries it. */
  async bury(id: string, error = ''): Promise<void> {
    await this.schedule(id);
    const fence = await this.claim();
    await this.turn({ settles: [{ kind: 'bury', id, fence, reason: 'why', error }] });
  }

  /** What is published on the partition's channel while `act` runs, in order. */
  async signalsOf(act: () => Promise<unknown>): Promise<string[]> {
    const listener = this.redis.duplicate();
    const texts: string[] = [];
    try {
      await listener.subscribe(this.channel);
      const ended = new Promise<void>((resolve) => {
        listener.on('message', (_, text) => (text === 'end' ? resolve() : texts.push(text)));
      });
      await act();
      await this.redis.publish(this.channel, 'end');
      await ended;
    } finally {
      listener.disconnect();
    }
    return texts;
  }

  private async read(key: string): Promise<string | (readonly [string, string])[] | null> {
    const type = await this.redis.type(key);
    switch (type) {
      case 'none':
        return null;
      case 'string':
        return this.redis.get(key);
      case 'zset':
        return pairs(await this.redis.zrange(key, '0', '-1', 'WITHSCORES'));
      case 'hash':
        return Object.entries(await this.redis.hgetall(key)).toSorted(([a], [b]) => (a < b ? -1 : 1));
      default:
        throw new Error(`${key} is a ${type}`);
    }
  }
}

function pairs(flat: readonly string[]): [string, string][] {
  return flat.flatMap((id, index) => (index % 2 === 0 ? [[id, flat[index + 1] ?? ''] as [string, string]] : []));
}
