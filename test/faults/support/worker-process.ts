import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { waitFor } from '../../support/wait-for.js';
import type { WorkerCommand, WorkerReport, WorkerSetup } from '../worker/worker-protocol.js';

/** Time for a worker to boot on a busy machine. */
const BOOT_DEADLINE_MS = 60_000;

/** What a worker process is started with. */
export interface WorkerProcessParts {
  /** Names the process in records and tables. */
  readonly label: string;
  /** The compiled program. */
  readonly program: string;
  readonly setup: Omit<WorkerSetup, 'recordFile'>;
  /** Folder for its record. */
  readonly recordFolder: string;
}

/** One real process that runs tasks. */
export class WorkerProcess {
  readonly label: string;
  /** What it has told, in order. */
  readonly reports: WorkerReport[] = [];
  private readonly child: ChildProcess;
  private stopped = false;

  constructor({ label, program, setup, recordFolder }: WorkerProcessParts) {
    this.label = label;
    const recordFile = join(recordFolder, `${label}.jsonl`);
    const full: WorkerSetup = { ...setup, recordFile };
    this.child = spawn(process.execPath, ['--enable-source-maps', program], {
      env: { ...process.env, NODE_OPTIONS: '', FAULT_WORKER: JSON.stringify(full) },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    const output = createWriteStream(join(recordFolder, `${label}.out`), { flags: 'a' });
    this.child.stdout?.pipe(output, { end: false });
    this.child.stderr?.pipe(output, { end: false });
    this.child.once('close', () => output.end());
    this.child.on('message', (report: WorkerReport) => this.reports.push(report));
    // A worker that is gone cannot be told anything; its tests see that it is gone.
    this.child.on('error', () => undefined);
  }

  /** It has neither ended nor been killed. */
  get isAlive(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Its exit code, or the signal that ended it, or null while it runs. */
  get ending(): number | NodeJS.Signals | null {
    return this.child.exitCode ?? this.child.signalCode;
  }

  /** Resolves when it has ended. */
  async ended(): Promise<void> {
    if (this.isAlive) await once(this.child, 'exit');
  }

  /** Resolves with the name under which it holds arms, when its handlers run. */
  async ready(): Promise<string> {
    await waitFor(() => this.bootReport() !== undefined || !this.isAlive, {
      deadlineMs: BOOT_DEADLINE_MS,
      what: `${this.label} to boot`,
    });
    const found = this.bootReport();
    if (found === undefined) throw new Error(`${this.label} ended with ${this.ending} before it was ready`);
    if (found.kind === 'boot failed') throw new Error(`${this.label} did not boot: ${found.error}`);
    return found.holder;
  }

  tell(command: WorkerCommand): void {
    if (this.child.connected) this.child.send(command);
  }

  /** Sends a signal; SIGSTOP and SIGCONT are remembered, so that it can be stopped in the end. */
  signal(signal: 'SIGKILL' | 'SIGTERM' | 'SIGSTOP' | 'SIGCONT'): void {
    if (!this.isAlive) return;
    if (signal === 'SIGSTOP') this.stopped = true;
    if (signal === 'SIGCONT') this.stopped = false;
    this.child.kill(signal);
  }

  /** Closes its application; resolves when the process has ended by itself. */
  async close(deadlineMs = 15_000): Promise<void> {
    if (this.stopped) this.signal('SIGCONT');
    this.tell({ kind: 'stop' });
    await waitFor(() => !this.isAlive, { deadlineMs, what: `${this.label} to end after it was told to stop` });
  }

  /** Ends it whatever state it is in. */
  async kill(): Promise<void> {
    if (!this.isAlive) return;
    this.child.kill('SIGKILL');
    await this.ended();
  }

  private bootReport(): Extract<WorkerReport, { kind: 'ready' | 'boot failed' }> | undefined {
    return this.reports.find((report) => report.kind === 'ready' || report.kind === 'boot failed');
  }
}
