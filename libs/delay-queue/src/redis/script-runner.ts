import { QueueClosedError, StoreRejectedError, StoreUnavailableError } from '../core/errors.js';
import type { Durability } from '../ports/mutation.js';
import { AnswerWatch } from './answer-watch.js';
import type { Connections } from './connections.js';
import type { RedisScript } from './scripts/redis-scripts.js';
import { isNoScript, isReplyError, notConnected, toStoreError } from './store-errors.js';

/** Arguments of a command, as ioredis takes them. */
export type RedisArguments = (string | number)[];

/** One call of a script. */
export interface ScriptCall {
  readonly script: RedisScript;
  readonly keys: readonly string[];
  readonly args: readonly (string | number)[];
  /** Receives a reply that came after the deadline. */
  readonly onLateReply?: (reply: unknown) => void;
}

/** What a durable call brings back. */
export interface DurableReply {
  readonly reply: unknown;
  readonly replicas: number;
}

interface Dispatch {
  readonly name: string;
  /** Sends at once; `isWanted` tells whether somebody still waits for the answer. */
  readonly send: (isWanted: () => boolean) => Promise<unknown>;
  readonly onLateReply?: ((reply: unknown) => void) | undefined;
  /** Time that the command itself may take, on top of the deadline. @default 0 */
  readonly extraMs?: number;
}

/** A replica that stays the only server to be found is asked in peace in between. */
const LEAVE_REPLICA_EVERY_MS = 5_000;

/** A connection that answers nothing for so many deadlines is given up. */
export const DEAF_AFTER_DEADLINES = 2;

/**
 * Sends commands and scripts, each with a deadline.
 *
 * Calls go out in the order in which they are made, within the call that makes them. Every call rejects with a
 * `StoreUnavailableError`, a `StoreRejectedError` or a `QueueClosedError`, and with nothing else.
 */
export class ScriptRunner {
  /** Scripts that were carried out on the present connection: their name is enough. */
  private readonly known = new Set<string>();
  private readonly watch: AnswerWatch;
  private mayLeaveAtMs = 0;

  constructor(
    private readonly connections: Connections,
    private readonly timeoutMs: number,
  ) {
    this.watch = new AnswerWatch(timeoutMs * DEAF_AFTER_DEADLINES);
    connections.onReady(() => this.known.clear());
  }

  /**
   * Runs a script.
   *
   * It is sent by name once the connection has carried it out, before that as text: of two calls in flight by name, the
   * first could find the script missing and be repeated after the second, if another client loads it in between.
   */
  async run({ script, keys, args, onLateReply }: ScriptCall): Promise<unknown> {
    const call: RedisArguments = [script.sha1, keys.length, ...keys, ...args];
    const send = (isWanted: () => boolean): Promise<unknown> =>
      this.known.has(script.sha1) ? this.sendByName(script, call, isWanted) : this.sendText(script, call);
    return this.dispatch({ name: script.name, send, onLateReply });
  }

  /**
   * Runs a script and waits until so many replicas have its writes, or the time is over.
   *
   * WAIT blocks its connection and counts the writes of that connection only: use a runner that has one to itself. Both
   * commands go out together, so that a cluster sends them to the same node; the script goes as text, because it cannot be
   * repeated in between.
   *
   * @returns the script's reply and the number of replicas that have confirmed, 0 when that is not known.
   */
  async runDurably({ script, keys, args }: ScriptCall, { replicas, timeoutMs }: Durability): Promise<DurableReply> {
    const commands = [
      ['eval', script.text, keys.length, ...keys, ...args],
      ['wait', replicas, timeoutMs],
    ];
    const send = async (): Promise<DurableReply> => {
      const [ran, waited] = (await this.connections.client.pipeline(commands).exec()) ?? [];
      if (ran === undefined) throw new Error('the connection was closed');
      if (ran[0] !== null) throw ran[0];
      return { reply: ran[1], replicas: Number(waited?.[0] === null ? waited[1] : 0) };
    };
    return (await this.dispatch({ name: script.name, send, extraMs: timeoutMs })) as DurableReply;
  }

  /** Sends a command. */
  async command(name: string, args: RedisArguments): Promise<unknown> {
    return this.dispatch({ name, send: () => this.connections.client.call(name, args) });
  }

  private async sendByName(script: RedisScript, call: RedisArguments, isWanted: () => boolean): Promise<unknown> {
    try {
      return await this.connections.client.call('evalsha', call);
    } catch (error) {
      if (!isNoScript(error) || !isWanted()) throw error;
      this.known.delete(script.sha1);
      return this.sendText(script, call);
    }
  }

  private async sendText(script: RedisScript, call: RedisArguments): Promise<unknown> {
    const reply = await this.connections.client.call('eval', call.with(0, script.text));
    this.known.add(script.sha1);
    return reply;
  }

  private async dispatch({ name, send, onLateReply, extraMs = 0 }: Dispatch): Promise<unknown> {
    const { connections, watch } = this;
    const timeoutMs = this.timeoutMs + extraMs;
    if (connections.isClosed) throw new QueueClosedError();
    if (!connections.isReady) {
      connections.recycleIfStuck();
      throw notConnected(name, connections.lastProblem);
    }
    return new Promise((resolve, reject) => {
      let isWanted = true;
      const timer = setTimeout(() => {
        isWanted = false;
        reject(new StoreUnavailableError('unknown', `Redis did not answer ${name} within ${timeoutMs} ms.`));
        if (watch.isDeaf()) connections.recycle();
      }, timeoutMs);
      const onReply = (reply: unknown): void => {
        watch.answered();
        clearTimeout(timer);
        if (isWanted) resolve(reply);
        else this.handOver(reply, onLateReply);
      };
      const onFailure = (error: unknown): void => {
        if (isReplyError(error)) watch.answered();
        else watch.lost();
        clearTimeout(timer);
        const storeError = toStoreError(error, name);
        reject(storeError);
        if (storeError instanceof StoreRejectedError && storeError.reason === 'READONLY') this.leaveReplica();
      };
      watch.sent();
      send(() => isWanted).then(onReply, onFailure);
    });
  }

  /**
   * Connects anew, once nothing is in flight, when the server has become a replica: its successor is found by name or
   * through the sentinels, but never over the present connection.
   */
  private leaveReplica(): void {
    const nowMs = performance.now();
    if (this.connections.isCluster || !this.watch.isIdle || nowMs < this.mayLeaveAtMs) return;
    this.mayLeaveAtMs = nowMs + LEAVE_REPLICA_EVERY_MS;
    this.connections.recycle();
  }

  private handOver(reply: unknown, onLateReply: Dispatch['onLateReply']): void {
    try {
      onLateReply?.(reply);
    } catch (error) {
      this.connections.reportError(error instanceof Error ? error : new Error(String(error)));
    }
  }
}
