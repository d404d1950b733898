import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DelayQueueProducer } from 'nestjs-delay-queue';
import { TokenBuckets } from './token-buckets.js';

const TOKENS = 5;

const REFILL_AFTER_MS = 60_000;

/** Lets something happen five times a minute for each key: every token that is taken comes back a minute later. */
@Injectable()
export class RateLimiter {
  constructor(
    private readonly buckets: TokenBuckets,
    private readonly delayQueue: DelayQueueProducer,
  ) {}

  /**
   * Takes a token; false when none is left.
   *
   * @throws StoreUnavailableError when the queue cannot be asked to bring it back; it is not taken then.
   */
  async take(key: string): Promise<boolean> {
    const tokenId = randomUUID();
    if (!this.buckets.take(key, tokenId, TOKENS)) return false;
    try {
      await this.delayQueue.schedule('token_refill', { key, tokenId }, { delay: REFILL_AFTER_MS, id: tokenId });
    } catch (error) {
      // Should it have been scheduled after all, putting the token back again will change nothing.
      this.buckets.putBack(key, tokenId);
      throw error;
    }
    return true;
  }
}
