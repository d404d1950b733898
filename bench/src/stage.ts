import type { ConsumeRequest } from './participant/participant-api.js';
import { Participant } from './participant/participant.js';
import { DatabaseGauge } from './postgres/database-gauge.js';
import { PostgresServer } from './postgres/postgres-server.js';
import { RedisGauge } from './redis/redis-gauge.js';
import { RedisServer } from './redis/redis-server.js';
import type { SubjectName } from './subjects/subject.js';

/** The task type that tasks are scheduled for. */
export const TASK_TYPE = 'order_timeout';

/** What every measurement of a run has in common. */
export interface StageOptions {
  /** Fewer tasks, shorter windows. */
  readonly quick: boolean;
  /** Folder for CPU profiles of the library's processes. */
  readonly profileFolder?: string | undefined;
  /** There is a PostgreSQL beside the redis-server. @default false */
  readonly database?: boolean;
  /** Writes how far a measurement is that takes long. */
  readonly log?: (line: string) => void;
}

/** The servers for one measurement of one subject, and the processes that use them. */
export class Stage {
  readonly gauge: RedisGauge;
  private readonly databaseGauge: DatabaseGauge | null;
  private readonly participants: Participant[] = [];

  private constructor(
    readonly subject: SubjectName,
    readonly options: StageOptions,
    private readonly server: RedisServer,
    private readonly postgres: PostgresServer | null,
  ) {
    this.gauge = new RedisGauge(server.url);
    this.databaseGauge = postgres && new DatabaseGauge(postgres.url);
  }

  /** Measures on a stage of its own, and clears it away however that ends. */
  static async use<Result>(
    subject: SubjectName,
    options: StageOptions,
    measure: (stage: Stage) => Promise<Result>,
  ): Promise<Result> {
    const postgres = options.database === true ? await PostgresServer.start() : null;
    const stage = new Stage(subject, options, await RedisServer.start(), postgres);
    try {
      return await measure(stage);
    } finally {
      for (const participant of stage.participants) participant.kill();
      stage.gauge.close();
      await stage.server.stop();
      await stage.databaseGauge?.close();
      await postgres?.stop();
    }
  }

  get redisUrl(): string {
    return this.server.url;
  }

  /** Counts rows of the database: see {@link DatabaseGauge.count}. */
  async countRows(what: string): Promise<number> {
    if (this.databaseGauge === null) throw new Error('this stage has no database');
    return this.databaseGauge.count(what);
  }

  /** Starts a process that only schedules. */
  async startProducer(): Promise<Participant> {
    return this.start([TASK_TYPE], null);
  }

  /** Starts a process that consumes. */
  async startConsumer(consume: ConsumeRequest, rebuildRate: number | null = null): Promise<Participant> {
    return this.start([TASK_TYPE], consume, rebuildRate);
  }

  /** Starts several processes that consume; one after the other, or all would be slow to connect. */
  async startConsumers(
    count: number,
    consume: ConsumeRequest,
    types: readonly string[] = [TASK_TYPE],
  ): Promise<Participant[]> {
    const consumers: Participant[] = [];
    while (consumers.length < count) consumers.push(await this.start(types, consume));
    return consumers;
  }

  private async start(
    types: readonly string[],
    consume: ConsumeRequest | null,
    rebuildRate: number | null = null,
  ): Promise<Participant> {
    const { subject, redisUrl, postgres } = this;
    const database = postgres && { url: postgres.url, rebuildRate };
    const profileFolder = subject === 'nestjs-delay-queue' ? this.options.profileFolder : undefined;
    const participant = await Participant.start({ subject, redisUrl, types, consume, database, profileFolder });
    this.participants.push(participant);
    return participant;
  }
}
