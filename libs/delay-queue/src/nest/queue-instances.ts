import { Injectable } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { DelayQueueCoreModule } from './delay-queue-core.module.js';
import type { Storage } from './resolve-storage.js';
import { QUEUE_INSTANCE, QUEUE_NAME } from './tokens.js';

/** The module that holds one queue; Nest does not export its type. */
type CoreModule = NonNullable<ReturnType<ModulesContainer['get']>>;

/** One of the application's queues, as the others see it. */
export interface QueueInstance {
  readonly name: string;
  readonly storage: Storage;
  /** Begins every key of it. */
  readonly prefix: string;
  /** Stops running tasks, within the shutdown time. Never rejects. */
  stop(): Promise<void>;
  /** Stops, and closes the store. Never rejects. */
  close(): Promise<void>;
}

/** Finds all the queues of the application, in the order in which Nest has met them. */
@Injectable()
export class QueueInstances {
  constructor(private readonly modules: ModulesContainer) {}

  /** The modules that hold the queues. */
  get cores(): readonly CoreModule[] {
    return [...this.modules.values()].filter(({ metatype }) => metatype === DelayQueueCoreModule);
  }

  /** The module that holds the queue of this name. */
  coreOf(name: string): CoreModule | undefined {
    return this.cores.find((core) => partOf<string>(core, QUEUE_NAME) === name);
  }

  /** Known from the beginning, also while the queues are still being made; a name may be there twice. */
  get names(): readonly string[] {
    return this.cores.map((core) => partOf<string>(core, QUEUE_NAME));
  }

  /** The queues themselves, once all of them have been made. */
  get all(): readonly QueueInstance[] {
    return this.cores.map((core) => partOf<QueueInstance>(core, QUEUE_INSTANCE));
  }
}

function partOf<Part>(core: CoreModule, token: symbol): Part {
  return core.providers.get(token)?.instance as Part;
}
