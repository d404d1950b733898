import type { Redis } from 'ioredis';
import { Subject } from 'rxjs';
import { QueueClosedError, StoreUnavailableError } from '../core/errors.js';
import type { PartitionRef } from '../core/partition.js';
import type { Wakeup } from '../ports/wakeup.js';
import { type Connections, disconnect } from './connections.js';
import { reconnectDelayMs } from './redis-connection.js';
import { decodeSignal } from './signals.js';
import { toStoreError } from './store-errors.js';

/** Somebody who waits until the channels are subscribed to. */
interface Waiter {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** One connection that listens, from its making to its end. */
interface Listening {
  readonly client: Redis;
  readonly channels: Set<string>;
}

/**
 * Hears signals, over a connection of its own.
 *
 * The connection begins with the first channel; whenever it ends, another one is made and subscribes to everything.
 * Signals that were missed meanwhile are not hidden: `resubscribed` is given.
 */
export class Subscriber {
  private readonly subject = new Subject<Wakeup>();
  private readonly refs = new Map<string, PartitionRef>();
  private readonly waiters = new Set<Waiter>();
  private listening: Listening | null = null;
  private mayHaveMissed = false;
  private attempts = 0;
  private retry: NodeJS.Timeout | undefined;
  private probe: NodeJS.Timeout | undefined;
  private closed = false;

  readonly wakeups$ = this.subject.asObservable();

  constructor(
    private readonly connections: Connections,
    private readonly timeoutMs: number,
  ) {
    connections.onReady(() => this.verify());
  }

  /**
   * Listens to these channels too; resolves when they are subscribed to.
   *
   * @throws StoreUnavailableError after the deadline; the channels are subscribed to as soon as it becomes possible.
   * @throws StoreRejectedError when the server refuses.
   */
  async listen(channels: ReadonlyMap<string, PartitionRef>): Promise<void> {
    for (const [channel, ref] of channels) this.refs.set(channel, ref);
    if (this.refs.size === 0) return;
    if (this.listening === null && this.retry === undefined) this.start();
    const { listening } = this;
    const isUsable = listening?.client.status === 'ready';
    await this.withinDeadline(isUsable ? this.catchUp(listening) : this.nextSubscription());
  }

  /** Ends {@link wakeups$} and the connection. */
  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.retry);
    const { listening } = this;
    this.drop();
    this.failWaiters(new QueueClosedError());
    this.subject.complete();
    if (listening !== null) await disconnect(listening.client);
  }

  private start(): void {
    clearTimeout(this.retry);
    this.retry = undefined;
    const client = this.connections.subscriberClient();
    if (client === null) {
      this.startLater();
      return;
    }
    const listening: Listening = { client, channels: new Set() };
    this.listening = listening;
    client.on('ready', () => void this.onReady(listening));
    client.on('message', (channel: string, text: string) => this.receive(channel, text));
    client.on('end', () => this.onEnd(listening));
    // Failures arrive as 'error' and 'end' events too.
    client.connect().catch(() => undefined);
  }

  private startLater(): void {
    this.attempts += 1;
    this.retry = setTimeout(() => this.start(), reconnectDelayMs(this.attempts));
  }

  private async onReady(listening: Listening): Promise<void> {
    try {
      await this.catchUp(listening);
    } catch (error) {
      this.connections.reportError(error as Error);
      this.failWaiters(error as Error);
      // A refusal leaves the connection open and deaf: another one is made, until the server subscribes us.
      this.mayHaveMissed = true;
      listening.client.disconnect();
      return;
    }
    if (listening !== this.listening) return;
    this.attempts = 0;
    this.stopProbe();
    for (const { resolve } of this.waiters) resolve();
    this.waiters.clear();
    if (this.mayHaveMissed) this.subject.next({ kind: 'resubscribed' });
    this.mayHaveMissed = false;
  }

  private onEnd(listening: Listening): void {
    if (listening !== this.listening) return;
    this.drop();
    if (!this.closed) this.startLater();
  }

  /** Forgets the present connection. */
  private drop(): void {
    this.mayHaveMissed ||= (this.listening?.channels.size ?? 0) > 0;
    this.listening = null;
    this.stopProbe();
  }

  /** Subscribes to what is missing, also to what is asked for meanwhile. */
  private async catchUp({ client, channels }: Listening): Promise<void> {
    for (;;) {
      const missing = [...this.refs.keys()].filter((channel) => !channels.has(channel));
      if (missing.length === 0) return;
      try {
        await client.subscribe(...missing);
      } catch (error) {
        throw toStoreError(error, 'SUBSCRIBE');
      }
      for (const channel of missing) channels.add(channel);
    }
  }

  private async nextSubscription(): Promise<void> {
    return new Promise((resolve, reject) => this.waiters.add({ resolve, reject }));
  }

  private failWaiters(error: Error): void {
    for (const { reject } of this.waiters) reject(error);
    this.waiters.clear();
  }

  private receive(channel: string, text: string): void {
    const ref = this.refs.get(channel);
    if (ref === undefined) return;
    const signal = decodeSignal(ref, text);
    if (signal !== null) this.subject.next(signal);
  }

  /**
   * Makes sure that the subscription lives when the command connection has come back: what broke the one has often broken
   * the other, and a connection that only listens would not notice for long.
   */
  private verify(): void {
    const { listening } = this;
    if (listening === null) {
      if (this.retry !== undefined) this.start();
      return;
    }
    this.stopProbe();
    this.probe = setTimeout(() => listening.client.disconnect(), this.timeoutMs);
    if (listening.client.status !== 'ready') return;
    listening.client.ping().then(
      () => this.stopProbe(),
      // A connection that fails ends, and another one is made then.
      () => undefined,
    );
  }

  private stopProbe(): void {
    clearTimeout(this.probe);
    this.probe = undefined;
  }

  private async withinDeadline(work: Promise<void>): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        // Who did not wait any longer hears of the subscription as of one that was interrupted.
        this.mayHaveMissed = true;
        reject(new StoreUnavailableError('unknown', `Redis did not answer SUBSCRIBE within ${this.timeoutMs} ms.`));
      }, this.timeoutMs);
    });
    try {
      await Promise.race([work, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}
