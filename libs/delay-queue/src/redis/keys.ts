import { createHash } from 'node:crypto';
import { partitionName, type PartitionRef } from '../core/partition.js';

/**
 * The keys of a partition, in the order in which every script gets them.
 *
 * The common part stands in braces and in front, so that a cluster keeps all keys of a partition in one slot.
 */
export const PARTITION_KEYS = [
  'due',
  'leased',
  'task',
  'run',
  'fence',
  'dead',
  'grave',
  'done',
  'paused',
  'arm',
] as const;

/** Builds every name that stands in Redis. */
export class RedisKeys {
  /** @param prefix of one queue; a name without braces, blanks and colons. */
  constructor(private readonly prefix: string) {}

  /** The keys of a partition, in the order of {@link PARTITION_KEYS}. */
  partition(ref: PartitionRef): string[] {
    const tag = this.tag(ref);
    return PARTITION_KEYS.map((name) => `${tag}:${name}`);
  }

  /** The hash in which a type's settings stand that all processes must agree upon. */
  meta(type: string): string {
    return `{${this.prefix}:${type}}:meta`;
  }

  /** The done mark of one life of a task; in the slot of the partition, whose turn writes it. */
  ownMark(ref: PartitionRef, { id, life }: { readonly id: string; readonly life: string }): string {
    return `${this.tag(ref)}:mark:${life}:${id}`;
  }

  /**
   * The mark of an idempotency key of the application, in a slot of its own: tasks of several types may share it.
   *
   * The key is hashed, so that it may hold what it likes, braces and personal data included.
   */
  sharedMark(key: string): string {
    return `{${this.prefix}:idem:${createHash('sha256').update(key).digest('base64url')}}`;
  }

  /** The pub/sub channel of a partition. */
  channel(ref: PartitionRef): string {
    return `${this.tag(ref)}:wake`;
  }

  private tag(ref: PartitionRef): string {
    return `{${this.prefix}:${partitionName(ref)}}`;
  }
}
