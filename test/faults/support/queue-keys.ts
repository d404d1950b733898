import type { Redis } from 'ioredis';
import { PARTITION_KEYS, RedisKeys } from '../../../libs/delay-queue/src/redis/keys.js';
import { checkInvariants } from '../../conformance/invariants.js';
import type { Site } from './site.js';

/** Which queue is looked at. */
export interface QueueLayout {
  readonly prefix: string;
  readonly types: readonly string[];
  readonly partitions: number;
}

/** What may be there when all tasks have ended. */
export interface AllowedRest {
  /** Exactly so many dead letters in all. */
  readonly dead: number;
  /** Done marks, which stay for the dedupe window. */
  readonly doneMarks: boolean;
  /** Marks of work that was done, which stay for a day. */
  readonly idempotencyMarks: boolean;
}

/** How many tasks stand where, over all partitions. */
export interface TaskCounts {
  readonly due: number;
  readonly leased: number;
  readonly dead: number;
}

/** What stays for good, or until the next process comes. */
const LASTING_KEYS = ['fence', 'arm'];

/** Reads the keys of a scenario's queue directly, beside the library. */
export class QueueKeys {
  private readonly keys: RedisKeys;

  constructor(
    private readonly site: Site,
    private readonly layout: QueueLayout,
  ) {
    this.keys = new RedisKeys(layout.prefix);
  }

  /** One key of a type's partition. */
  key(type: string, name: (typeof PARTITION_KEYS)[number], partition = 0): string {
    return this.keys.partition({ type, partition })[PARTITION_KEYS.indexOf(name)] ?? '';
  }

  /** What stands under an idempotency key, or null. */
  async sharedMark(key: string): Promise<string | null> {
    const found = await this.site.onPrimaries((redis) => redis.get(this.keys.sharedMark(key)));
    return found.find((text) => text !== null) ?? null;
  }

  async counts(): Promise<TaskCounts> {
    const perServer = await this.site.onPrimaries(async (redis) => {
      const present = await this.presentPartitions(redis);
      return Promise.all(
        present.map(async ([due = '', leased = '', , , , dead = '']) => {
          return [await redis.zcard(due), await redis.zcard(leased), await redis.zcard(dead)] as const;
        }),
      );
    });
    const all = perServer.flat();
    const sum = (index: 0 | 1 | 2): number => all.reduce((total, counts) => total + counts[index], 0);
    return { due: sum(0), leased: sum(1), dead: sum(2) };
  }

  /** Who waits for the next due time of a type's first partition, or null. */
  async holder(type: string): Promise<string | null> {
    const [text] = await this.site.onPrimaries((redis) => redis.get(this.key(type, 'arm')));
    return text?.split('|')[0] ?? null;
  }

  /** Checks that the keys of each partition agree with each other. */
  async checkAgreement(): Promise<void> {
    await this.site.onPrimaries(async (redis) => {
      for (const keys of await this.presentPartitions(redis)) await checkInvariants(redis, keys);
    });
  }

  /** What is there beyond what is allowed, in words. */
  async leftovers(allowed: AllowedRest): Promise<readonly string[]> {
    const found = (await this.site.onPrimaries((redis) => redis.keys('*'))).flat();
    const unexpected = found.filter((key) => !this.isAllowed(key, allowed));
    const { dead } = await this.counts();
    const deadProblem = dead === allowed.dead ? [] : [`${dead} dead letters instead of ${allowed.dead}`];
    return [...unexpected.map((key) => `left over: ${key}`), ...deadProblem];
  }

  private isAllowed(key: string, { dead, doneMarks, idempotencyMarks }: AllowedRest): boolean {
    const { types, partitions } = this.layout;
    if (idempotencyMarks && (key.includes('}:mark:') || key.startsWith(`{${this.layout.prefix}:idem:`))) return true;
    if (types.some((type) => key === this.keys.meta(type))) return true;
    const names = [...LASTING_KEYS, ...(dead > 0 ? ['dead', 'grave'] : []), ...(doneMarks ? ['done'] : [])];
    return types.some((type) =>
      Array.from({ length: partitions }, (_, partition) => this.keys.partition({ type, partition })).some((keys) =>
        names.some((name) => keys[PARTITION_KEYS.findIndex((known) => known === name)] === key),
      ),
    );
  }

  /** The keys of the partitions that this server keeps. */
  private async presentPartitions(redis: Redis): Promise<readonly (readonly string[])[]> {
    const here = new Set((await redis.keys('*')).map((key) => key.slice(0, key.indexOf('}'))));
    const all = this.layout.types.flatMap((type) =>
      Array.from({ length: this.layout.partitions }, (_, partition) => this.keys.partition({ type, partition })),
    );
    return all.filter(([first = '']) => here.has(first.slice(0, first.indexOf('}'))));
  }
}
