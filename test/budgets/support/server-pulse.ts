import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';

const INTERVAL_MS = 10;

/** Sends PING to a server again and again, one after the other, and notes how long the answers take. */
export class ServerPulse {
  private readonly client: Redis;
  private readonly takenMs: number[] = [];
  private stopped = false;
  private readonly ended: Promise<void>;

  constructor(url: string) {
    this.client = new Redis(url);
    this.ended = this.loop();
  }

  /** Ends, and returns the time within which 99 of 100 answers came, in milliseconds. */
  async stop(): Promise<number> {
    this.stopped = true;
    await this.ended;
    this.client.disconnect();
    const sorted = this.takenMs.toSorted((a, b) => a - b);
    return sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN;
  }

  private async loop(): Promise<void> {
    while (!this.stopped) {
      const startMs = performance.now();
      await this.client.ping();
      this.takenMs.push(performance.now() - startMs);
      await pause(INTERVAL_MS);
    }
  }
}
