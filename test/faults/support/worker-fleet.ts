import type { QueueOptions } from 'nestjs-delay-queue';
import type { TcpProxy } from '../../support/tcp-proxy.js';
import { waitFor } from '../../support/wait-for.js';
import type { Idempotency, ServerAddress } from '../worker/worker-protocol.js';
import { Worker } from './worker.js';

/** How workers are started. */
export interface WorkerWishes {
  /** The network between the workers and the server. */
  readonly via?: TcpProxy;
  /** Another way to the server. @default that of the scenario */
  readonly address?: ServerAddress;
  /** Starts a new process whenever one ends by itself. @default false */
  readonly supervised?: boolean;
}

/** What all workers of a scenario have in common. */
export interface FleetParts {
  /** Path of the compiled worker. */
  readonly program: () => Promise<string>;
  readonly address: ServerAddress;
  readonly queue: QueueOptions;
  readonly types: readonly string[];
  readonly idempotent: Idempotency | undefined;
  readonly recordFolder: string;
  readonly effectFolder: string;
  /** Name under which the holder of the first partition holds its arm. */
  readonly holderName: () => Promise<string | null>;
}

/** The workers of a scenario. */
export class WorkerFleet {
  readonly workers: Worker[] = [];

  constructor(private readonly parts: FleetParts) {}

  /** Starts workers, and resolves when their handlers run. */
  async start(count: number, { via, address, supervised = false }: WorkerWishes = {}): Promise<readonly Worker[]> {
    const { queue, types, idempotent, effectFolder, recordFolder } = this.parts;
    const program = await this.parts.program();
    const reached: ServerAddress =
      via === undefined ? (address ?? this.parts.address) : { kind: 'single', url: via.url };
    const setup = { address: reached, queue, types, idempotent, effectFolder };
    const first = this.workers.length + 1;
    const names = Array.from({ length: count }, (_, index) => `w${first + index}`);
    const starting = names.map((name) => new Worker({ name, program, setup, recordFolder, supervised }));
    // Noted before they are ready, so that they are ended also when one of them does not boot.
    this.workers.push(...starting);
    if (!supervised) await Promise.all(starting.map((worker) => worker.ready()));
    return starting;
  }

  /** The worker that waits for the next due time, once there is one. */
  async holder(): Promise<Worker> {
    const find = async (): Promise<Worker | undefined> => {
      const name = await this.parts.holderName();
      return this.workers.find(({ holder }) => holder === name);
    };
    return (await waitFor(find, { deadlineMs: 10_000, what: 'a worker to hold the arm' })) as Worker;
  }

  /** The worker that made an entry. */
  workerOf({ by }: { readonly by: string }): Worker {
    const found = this.workers.find(({ processes }) => processes.some(({ label }) => label === by));
    if (found === undefined) throw new Error(`there is no worker ${by}`);
    return found;
  }

  /** Closes the applications; resolves when all processes have ended by themselves. */
  async close(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.close()));
  }

  /** Ends every process, whatever state it is in. */
  async dispose(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.dispose()));
  }
}
