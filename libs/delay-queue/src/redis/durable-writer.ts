import type { Durability } from '../ports/mutation.js';
import type { Connections } from './connections.js';
import { type DurableReply, type ScriptCall, ScriptRunner } from './script-runner.js';

/**
 * Makes writes that wait for replicas, over a connection of their own, which is made with the first of them.
 *
 * Waiting blocks a connection: on the common one, every claim would wait along.
 */
export class DurableWriter {
  private own: { readonly connections: Connections; readonly runner: ScriptRunner } | null = null;

  constructor(
    private readonly connections: Connections,
    private readonly timeoutMs: number,
  ) {}

  /** Runs a script, and waits for replicas. */
  async run(call: ScriptCall, durability: Durability): Promise<DurableReply> {
    this.own ??= this.connect();
    const { connections, runner } = this.own;
    await connections.open(this.timeoutMs);
    return runner.runDurably(call, durability);
  }

  async close(): Promise<void> {
    await this.own?.connections.close();
  }

  private connect() {
    const connections = this.connections.another();
    return { connections, runner: new ScriptRunner(connections, this.timeoutMs) };
  }
}
