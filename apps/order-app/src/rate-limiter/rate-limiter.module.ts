import { Module } from '@nestjs/common';
import { RateLimiter } from './rate-limiter.js';
import { TokenBuckets } from './token-buckets.js';
import { TokenRefillHandler } from './token-refill.handler.js';

@Module({
  providers: [RateLimiter, TokenBuckets, TokenRefillHandler],
  exports: [RateLimiter],
})
export class RateLimiterModule {}
