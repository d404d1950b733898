import { Redis } from 'ioredis';
import type { PartitionRef } from '../../libs/delay-queue/src/core/partition.js';
import { RedisKeys } from '../../libs/delay-queue/src/redis/keys.js';
import { RedisTaskStore } from '../../libs/delay-queue/src/redis/redis-task-store.js';
import { RedisServer } from '../support/redis-server.js';
import { RedisTestClock, testClockScripts } from '../support/test-clock-scripts.js';
import { ARM_HOLD_MS, START_US, type StoreHarness } from './store-harness.js';

const PREFIX = 'conformance';

/** Far above what a call takes on a busy machine: a call that is given up would look like a wrong answer. */
const CALL_TIMEOUT_MS = 10_000;

/** The Redis store on a server of its own, whose clock is in the hands of the tests. */
export class RedisHarness implements StoreHarness {
  private currentUs = START_US;
  private readonly keys = new RedisKeys(PREFIX);

  private constructor(
    private readonly server: RedisServer,
    readonly store: RedisTaskStore,
    readonly secondStore: RedisTaskStore,
    private readonly clock: RedisTestClock,
    /** A connection beside those of the stores. */
    readonly redis: Redis,
  ) {}

  static async open(): Promise<RedisHarness> {
    const server = await RedisServer.start();
    const { url } = server;
    const scripts = testClockScripts();
    const [store, secondStore] = [0, 1].map(
      () =>
        new RedisTaskStore({
          connection: url,
          prefix: PREFIX,
          callTimeoutMs: CALL_TIMEOUT_MS,
          armHoldMs: ARM_HOLD_MS,
          scripts,
        }),
    ) as [RedisTaskStore, RedisTaskStore];
    await Promise.all([store.open(), secondStore.open()]);
    const harness = new RedisHarness(server, store, secondStore, new RedisTestClock(url), new Redis(url));
    await harness.setNowUs(START_US);
    return harness;
  }

  nowUs(): number {
    return this.currentUs;
  }

  async setNowUs(nowUs: number): Promise<void> {
    this.currentUs = nowUs;
    await this.clock.setUs(nowUs);
  }

  /** The keys of a partition, in the order in which the scripts get them. */
  keysOf(ref: PartitionRef): readonly string[] {
    return this.keys.partition(ref);
  }

  async loseEverything(): Promise<void> {
    await this.redis.flushall();
    // The clock was lost, too.
    await this.setNowUs(this.currentUs);
  }

  async removeEnvelope(ref: PartitionRef, id: string): Promise<void> {
    const envelopes = this.keysOf(ref)[2];
    if (envelopes?.endsWith(':task') !== true) throw new Error('the keys are not in the order that this test knows');
    await this.redis.hdel(envelopes, id);
  }

  async dispose(): Promise<void> {
    await Promise.all([this.store.close(), this.secondStore.close()]);
    this.clock.close();
    this.redis.disconnect();
    await this.server.stop();
  }
}
