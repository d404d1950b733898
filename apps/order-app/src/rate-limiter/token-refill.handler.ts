import { Injectable } from '@nestjs/common';
import { OnDelayedTask } from 'nestjs-delay-queue';
import { TokenBuckets } from './token-buckets.js';

/** Brings tokens back. */
@Injectable()
export class TokenRefillHandler {
  constructor(private readonly buckets: TokenBuckets) {}

  /** Safe to run more than once: it puts back this token, and does not count one up. */
  @OnDelayedTask('token_refill', { concurrency: 100 })
  refill({ key, tokenId }: { readonly key: string; readonly tokenId: string }): void {
    this.buckets.putBack(key, tokenId);
  }
}
