import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { OpenRequest, ParticipantAnswer, ParticipantApi } from './participant-api.js';

const PROCESS_FILE = fileURLToPath(new URL('./participant-process.js', import.meta.url));

interface PendingCall {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** A process that takes part in a measurement, seen from the one that leads it. */
export class Participant {
  private readonly pending = new Map<number, PendingCall>();
  private calls = 0;
  private closing = false;

  private constructor(
    private readonly child: ChildProcess,
    private readonly name: string,
  ) {
    child.on('message', (message) => this.answered(message as ParticipantAnswer));
    child.on('exit', (code, signal) => this.exited(String(signal ?? code)));
  }

  /** Starts a process and opens the queue in it. */
  static async start(request: OpenRequest): Promise<Participant> {
    const child = fork(PROCESS_FILE, { serialization: 'advanced' });
    const participant = new Participant(child, request.subject);
    try {
      await participant.call('open', request);
    } catch (error) {
      participant.kill();
      throw error;
    }
    return participant;
  }

  /** Has the process do something, and waits for its answer. */
  async call<Method extends keyof ParticipantApi>(
    method: Method,
    ...args: Parameters<ParticipantApi[Method]>
  ): Promise<Awaited<ReturnType<ParticipantApi[Method]>>> {
    const call = ++this.calls;
    const result = new Promise<unknown>((resolve, reject) => this.pending.set(call, { resolve, reject }));
    this.child.send({ call, method, args });
    return (await result) as Awaited<ReturnType<ParticipantApi[Method]>>;
  }

  /** Closes the queue in order and ends the process. */
  async close(): Promise<void> {
    await this.call('close');
    await this.end(() => this.child.disconnect());
  }

  /** Ends the process as a crash does. */
  kill(): void {
    this.closing = true;
    this.child.kill('SIGKILL');
  }

  private async end(begin: () => void): Promise<void> {
    this.closing = true;
    const exited = once(this.child, 'exit');
    begin();
    await exited;
  }

  private answered(answer: ParticipantAnswer): void {
    const pending = this.pending.get(answer.call);
    this.pending.delete(answer.call);
    if ('error' in answer) pending?.reject(new Error(`${this.name}: ${answer.error}`));
    else pending?.resolve(answer.result);
  }

  private exited(how: string): void {
    if (!this.closing && this.pending.size === 0) {
      throw new Error(`a process of ${this.name} ended by itself (${how})`);
    }
    for (const call of this.pending.values()) call.reject(new Error(`the process of ${this.name} ended (${how})`));
    this.pending.clear();
  }
}
