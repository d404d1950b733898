import { Redis } from 'ioredis';
import { assembleScripts, type RedisScripts } from '../../libs/delay-queue/src/redis/scripts/redis-scripts.js';

/** The string key that stands for the server's clock, in whole microseconds. */
const CLOCK_KEY = 'delay-queue-test:now-us';

/** Takes the time from {@link CLOCK_KEY}; a script fails while the clock is not set. */
const TEST_TIME = `
local function serverNowUs()
  return tonumber(redis.call('GET', '${CLOCK_KEY}'))
end`;

/**
 * The scripts of the queue with a clock that a test sets.
 *
 * Only for a single server: the clock's key is declared to no script.
 */
export function testClockScripts(): RedisScripts {
  return assembleScripts(TEST_TIME);
}

/** Sets the clock that {@link testClockScripts} read, of one database of one server. */
export class RedisTestClock {
  private readonly client: Redis;

  constructor(url: string) {
    this.client = new Redis(url);
  }

  /** Sets the time, in milliseconds since the epoch; a fraction down to microseconds is kept. */
  async setMs(nowMs: number): Promise<void> {
    await this.setUs(Math.round(nowMs * 1000));
  }

  /** Sets the time, in whole microseconds since the epoch. */
  async setUs(nowUs: number): Promise<void> {
    await this.client.set(CLOCK_KEY, String(nowUs));
  }

  close(): void {
    this.client.disconnect();
  }
}
