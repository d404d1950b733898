import { waitFor } from '../../support/wait-for.js';
import type { WorkerCommand } from '../worker/worker-protocol.js';
import { WorkerProcess, type WorkerProcessParts } from './worker-process.js';

/** What a worker is made of. */
export interface WorkerParts extends Omit<WorkerProcessParts, 'label'> {
  readonly name: string;
  /** Starts a new process when one ends by itself, as a supervisor does. */
  readonly supervised: boolean;
}

/** A worker of a scenario: one process, or under a supervisor one after the other. */
export class Worker {
  readonly processes: WorkerProcess[] = [];
  private holderId = '';
  private supervised: boolean;

  /** Starts its first process. */
  constructor(private readonly parts: WorkerParts) {
    this.supervised = parts.supervised;
    this.launch();
  }

  /** Resolves when the handlers of the present process run. */
  async ready(): Promise<void> {
    this.holderId = await this.process.ready();
  }

  /** The present process. */
  get process(): WorkerProcess {
    const last = this.processes.at(-1);
    if (last === undefined) throw new Error('no process was started');
    return last;
  }

  /** Names the present process, as its entries in the record do. */
  get label(): string {
    return this.process.label;
  }

  /** The name under which it holds arms. */
  get holder(): string {
    return this.holderId;
  }

  get isAlive(): boolean {
    return this.process.isAlive;
  }

  tell(command: WorkerCommand): void {
    this.process.tell(command);
  }

  /** Ends the process as a crash does. */
  async kill(): Promise<void> {
    await this.process.kill();
  }

  /** Stops the process where it stands. */
  freeze(): void {
    this.process.signal('SIGSTOP');
  }

  /** Lets a stopped process go on. */
  thaw(): void {
    this.process.signal('SIGCONT');
  }

  /** Starts another process in the place of one that has ended. */
  async restart(): Promise<void> {
    await this.process.ended();
    this.launch();
    await this.ready();
  }

  /** Closes the application and waits for the process to end by itself. */
  async close(): Promise<void> {
    this.supervised = false;
    // A process that is just being started, or has just ended by itself, needs no farewell.
    await waitFor(() => !this.isAlive || this.process.reports.length > 0, {
      deadlineMs: 60_000,
      what: `${this.label} to boot before it is closed`,
    });
    if (this.isAlive) await this.process.close();
  }

  /** Ends it whatever state it is in, and starts no other. */
  async dispose(): Promise<void> {
    this.supervised = false;
    await this.process.kill();
  }

  private launch(): void {
    const process = new WorkerProcess({ ...this.parts, label: `${this.parts.name}.${this.processes.length + 1}` });
    this.processes.push(process);
    void process.ended().then(() => {
      if (this.supervised) this.launch();
    });
  }
}
