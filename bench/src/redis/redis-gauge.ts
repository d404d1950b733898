import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';

/** What Redis did in some time, in microseconds. */
interface RedisCost {
  /** Time in script calls, by `INFO commandstats`; what scripts call is part of it. */
  readonly scriptUs: number;
  /** Processor time of the server, with network and parsing. */
  readonly cpuUs: number;
}

/** How often memory is looked at until it rests: hash tables that grow are moved over in small steps. */
const MEMORY_POLL_MS = 200;

const MEMORY_POLLS = 50;

const SCRIPT_COMMANDS = ['eval', 'evalsha', 'fcall'];

/** Reads what a server has done and holds. */
export class RedisGauge {
  private readonly client: Redis;
  private cpuUsAtStart = 0;

  constructor(url: string) {
    this.client = new Redis(url);
  }

  /** Begins to count costs. */
  async startCost(): Promise<void> {
    await this.client.config('RESETSTAT');
    this.cpuUsAtStart = await this.cpuUs();
  }

  /** The costs since {@link startCost}. */
  async cost(): Promise<RedisCost> {
    const stats = await this.client.info('commandstats');
    const scriptUs = SCRIPT_COMMANDS.reduce((sum, name) => sum + usecOf(stats, name), 0);
    return { scriptUs, cpuUs: (await this.cpuUs()) - this.cpuUsAtStart };
  }

  /** Memory that the server uses, in bytes, when it does not change any more. */
  async restingMemory(): Promise<number> {
    let before = Number.NaN;
    for (let poll = 0; poll < MEMORY_POLLS; poll++) {
      const now = numberIn(await this.client.info('memory'), /used_memory:(\d+)/);
      if (Math.abs(now - before) < 1_000) return now;
      before = now;
      await sleep(MEMORY_POLL_MS);
    }
    return before;
  }

  /** Addresses (`ip:port`) of the clients that are connected now. */
  async clientAddresses(): Promise<string[]> {
    const list = (await this.client.client('LIST')) as string;
    return [...list.matchAll(/ addr=(\S+)/g)].map((match) => match[1] ?? '');
  }

  /** Loses everything. */
  async flush(): Promise<void> {
    await this.client.flushall();
  }

  close(): void {
    this.client.disconnect();
  }

  private async cpuUs(): Promise<number> {
    const info = await this.client.info('cpu');
    return 1e6 * (numberIn(info, /used_cpu_sys:([\d.]+)/) + numberIn(info, /used_cpu_user:([\d.]+)/));
  }
}

function usecOf(stats: string, command: string): number {
  return Number(new RegExp(`cmdstat_${command}:calls=\\d+,usec=(\\d+)`).exec(stats)?.[1] ?? 0);
}

function numberIn(info: string, pattern: RegExp): number {
  const found = pattern.exec(info)?.[1];
  if (found === undefined) throw new Error(`INFO has nothing like ${String(pattern)}`);
  return Number(found);
}
