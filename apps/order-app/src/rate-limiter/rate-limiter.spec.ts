import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Test, type TestingModule } from '@nestjs/testing';
import { type DelayQueueTesting, DelayQueueTestingModule } from 'nestjs-delay-queue/testing';
import { RateLimiter } from './rate-limiter.js';
import { RateLimiterModule } from './rate-limiter.module.js';
import { TokenRefillHandler } from './token-refill.handler.js';

describe('the rate limiter', () => {
  let app: TestingModule;
  let queue: DelayQueueTesting;
  let limiter: RateLimiter;

  beforeEach(async () => {
    app = await Test.createTestingModule({ imports: [DelayQueueTestingModule.forRoot(), RateLimiterModule] }).compile();
    await app.init();
    queue = DelayQueueTestingModule.of(app);
    limiter = app.get(RateLimiter);
  });

  afterEach(() => app.close());

  /** Takes tokens at once, and says how many there were. */
  async function take(key: string, count: number): Promise<number> {
    const taken = await Promise.all(Array.from({ length: count }, () => limiter.take(key)));
    return taken.filter(Boolean).length;
  }

  it('gives no more tokens than there are, also to those who ask at once, and each key has its own', async () => {
    expect(await take('ada', 8)).toBe(5);
    expect(await limiter.take('ada')).toBe(false);
    expect(await take('bob', 2)).toBe(2);
  });

  it('brings each token back a minute after it was taken', async () => {
    await take('ada', 2);
    await queue.clock.advance('20s');
    await take('ada', 3);
    await queue.clock.advance('39s');
    expect(await limiter.take('ada')).toBe(false);
    await queue.clock.advance('1s');
    expect(await take('ada', 5)).toBe(2);
    await queue.clock.advance('20s');
    expect(await take('ada', 5)).toBe(3);
    await queue.clock.advance('1h');
    expect(await take('ada', 9)).toBe(5);
  });

  it('brings a token back once, however often its task is delivered', async () => {
    await take('ada', 5);
    const [first] = await queue.tasks.waiting('token_refill');
    if (first?.payload === undefined) throw new Error('no task');
    for (let delivery = 0; delivery < 3; delivery++) app.get(TokenRefillHandler).refill(first.payload);
    expect(await take('ada', 5)).toBe(1);
  });

  it('keeps no token when the queue cannot be asked to bring it back', async () => {
    await app.close();
    // With the tokens gone it would answer false.
    for (let time = 0; time < 6; time++) await expect(limiter.take('ada')).rejects.toMatchObject({ code: 'closed' });
  });
});
