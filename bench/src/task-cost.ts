import type { Participant } from './participant/participant.js';
import type { RedisGauge } from './redis/redis-gauge.js';

/** What one task costs, in microseconds. */
export interface TaskCost {
  /** Time in script calls, by `INFO commandstats`; what scripts call is part of it. */
  readonly redisScriptUs: number;
  /** Processor time of Redis, with network and parsing. */
  readonly redisCpuUs: number;
  /** Processor time of the processes that use the queue. */
  readonly processCpuUs: number;
}

/** Measures what tasks cost from its start on. */
export class CostMeter {
  private constructor(
    private readonly gauge: RedisGauge,
    private readonly processes: readonly Participant[],
    private readonly cpuUsAtStart: number,
  ) {}

  /** Begins to count, for Redis and for these processes. */
  static async start(gauge: RedisGauge, processes: readonly Participant[]): Promise<CostMeter> {
    await gauge.startCost();
    return new CostMeter(gauge, processes, await cpuUsOf(processes));
  }

  /** The cost of each of so many tasks since the start. */
  async perTask(tasks: number): Promise<TaskCost> {
    const redis = await this.gauge.cost();
    const processCpuUs = (await cpuUsOf(this.processes)) - this.cpuUsAtStart;
    return {
      redisScriptUs: redis.scriptUs / tasks,
      redisCpuUs: redis.cpuUs / tasks,
      processCpuUs: processCpuUs / tasks,
    };
  }
}

async function cpuUsOf(processes: readonly Participant[]): Promise<number> {
  const usages = await Promise.all(processes.map((participant) => participant.call('usage')));
  return usages.reduce((sum, { cpuUs }) => sum + cpuUs, 0);
}
