import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchPayload } from '../bench-task.js';
import type { ConsumeOptions } from './subject.js';

/** Tasks that one claim takes at most, where more than one may run. */
const BATCH = 100;

/** Pause after which a consumer with nothing ahead looks again. */
const IDLE_MS = 5;

/** Settles the tasks with these ids, and claims. */
export type RawTurn = (limit: number, settled: readonly string[]) => Promise<RawClaim>;

/** What a claim brought. */
export interface RawClaim {
  readonly payloads: readonly string[];
  /** Time until the next task is due, by the server's clock; `null` when none waits. */
  readonly nextInMs: number | null;
}

/** Runs due tasks one batch after the other, with one call to Redis for the end of one and the beginning of the next. */
export class RawConsumer {
  private stopping = false;
  private readonly ended: Promise<void>;

  constructor(
    private readonly turn: RawTurn,
    private readonly consume: ConsumeOptions,
  ) {
    this.ended = this.loop();
  }

  /** Resolves when the last batch is settled. */
  async stop(): Promise<void> {
    this.stopping = true;
    await this.ended;
  }

  private async loop(): Promise<void> {
    const limit = this.consume.concurrency === 1 ? 1 : BATCH;
    let settled: string[] = [];
    while (!this.stopping || settled.length > 0) {
      const { payloads, nextInMs } = await this.turn(this.stopping ? 0 : limit, settled);
      settled = await this.run(payloads);
      if (payloads.length === 0 && !this.stopping) await sleep(pauseMs(nextInMs));
    }
  }

  private async run(payloads: readonly string[]): Promise<string[]> {
    const tasks = payloads.map((payload) => JSON.parse(payload) as BenchPayload);
    await Promise.all(tasks.map((task) => this.consume.run(task)));
    return tasks.map(({ orderId }) => orderId);
  }
}

function pauseMs(nextInMs: number | null): number {
  return nextInMs === null ? IDLE_MS : Math.max(0, Math.min(IDLE_MS, Math.ceil(nextInMs)));
}
