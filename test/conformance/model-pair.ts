import type { PartitionRef } from '../../libs/delay-queue/src/core/partition.js';
import { MemoryTaskStore } from '../../libs/delay-queue/src/memory/memory-task-store.js';
import type { TaskStore } from '../../libs/delay-queue/src/ports/task-store.js';
import { checkInvariants, type SeenFences } from './invariants.js';
import type { ModelStores } from './model-run.js';
import { RedisHarness } from './redis-harness.js';
import { SteppedClock } from './stepped-clock.js';
import { ARM_HOLD_MS, START_US } from './store-harness.js';

/** The memory store as the specification, the Redis store as the subject, at the same time by the same clock. */
export class ModelPair implements ModelStores {
  private readonly clock = new SteppedClock(START_US);
  private readonly seenFences: SeenFences = new Map();
  readonly specification = new MemoryTaskStore({ clock: this.clock, armHoldMs: ARM_HOLD_MS });

  private constructor(private readonly harness: RedisHarness) {}

  static async open(): Promise<ModelPair> {
    return new ModelPair(await RedisHarness.open());
  }

  get subject(): TaskStore {
    return this.harness.store;
  }

  nowUs(): number {
    return this.clock.nowUs;
  }

  async setNowUs(nowUs: number): Promise<void> {
    this.clock.nowUs = nowUs;
    await this.harness.setNowUs(nowUs);
  }

  async checkInvariants(ref: PartitionRef): Promise<void> {
    await checkInvariants(this.harness.redis, this.harness.keysOf(ref), this.seenFences);
  }

  async dispose(): Promise<void> {
    await this.specification.close();
    await this.harness.dispose();
  }
}
