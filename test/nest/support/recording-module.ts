import {
  type DynamicModule,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';

/** What happened in an application, in order. */
export type Journal = string[];

/** Long enough for a handler that starts too early, or too late, to be seen. */
const HOOK_MS = 20;

const pause = () => new Promise<void>((resolve) => setTimeout(resolve, HOOK_MS));

/** A provider all of whose hooks take a while, and write down when they have ended, or begin to destroy. */
export class Recorder implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown {
  constructor(
    private readonly name: string,
    private readonly journal: Journal,
  ) {}

  async onModuleInit(): Promise<void> {
    await pause();
    this.journal.push(`${this.name} initialised`);
  }

  async onApplicationBootstrap(): Promise<void> {
    await pause();
    this.journal.push(`${this.name} bootstrapped`);
  }

  onModuleDestroy(): void {
    this.journal.push(`${this.name} destroyed`);
  }

  onApplicationShutdown(): void {
    this.journal.push(`${this.name} shut down`);
  }
}

/** A module with a recorder, as a provider and as the module's own class. */
export function recordingModule(name: string, journal: Journal, metadata: Partial<DynamicModule> = {}): DynamicModule {
  @Injectable()
  class RecordingModule extends Recorder {
    constructor() {
      super(`${name} module`, journal);
    }
  }
  const provider = { provide: `${name} recorder`, useFactory: () => new Recorder(name, journal) };
  return { module: RecordingModule, ...metadata, providers: [provider, ...(metadata.providers ?? [])] };
}
