import type { Redis } from 'ioredis';
import { QueueClosedError, StoreUnavailableError } from '../core/errors.js';
import { ClientPattern, type RedisClient, type RedisConnectionOption } from './redis-connection.js';

/** Settings of {@link Connections}. */
export interface ConnectionsOptions {
  readonly connection: RedisConnectionOption;
  /** A connection that has been made but is not usable for so long, or not answered over, is given up and made anew. */
  readonly maxSilenceMs: number;
  /** Hears of every error of a connection. */
  readonly onError: (error: Error) => void;
}

/** Somebody who waits for a usable connection. */
interface Waiter {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** How long closing waits for the sockets to be gone; ioredis destroys them after 250 ms. */
const CLOSE_WAIT_MS = 1_000;

/** Wait before connecting again where ioredis has given up for good, as when no sentinel can be asked. */
const REVIVAL_DELAY_MS = 1_000;

/** States of a client whose socket, when it is closed now, is followed by `end`. */
const OPEN_STATES: readonly string[] = ['connecting', 'connect', 'ready'];

/**
 * The command connection of a store, and the maker of its subscriber connections.
 *
 * It connects when it is told to, and then goes on for ever.
 */
export class Connections {
  readonly client: RedisClient;
  readonly isCluster: boolean;

  private readonly pattern: ClientPattern;
  private readonly readyListeners: (() => void)[] = [];
  private readonly waiters = new Set<Waiter>();
  private started = false;
  private closed = false;
  private lastError: Error | undefined;
  private changedAtMs = performance.now();
  private revival: NodeJS.Timeout | undefined;

  /** @throws ConfigurationError when the connection option cannot be used. */
  constructor(
    private readonly options: ConnectionsOptions,
    pattern: ClientPattern = ClientPattern.from(options.connection),
  ) {
    this.pattern = pattern;
    this.isCluster = this.pattern.isCluster;
    this.client = this.pattern.commandClient(options.maxSilenceMs);
    this.follow(this.client);
  }

  /** A further command connection after the same pattern, not connected yet; its owner closes it. */
  another(): Connections {
    return new Connections(this.options, this.pattern);
  }

  /** Commands can be sent now. */
  get isReady(): boolean {
    return this.client.status === 'ready' && !this.closed;
  }

  get isClosed(): boolean {
    return this.closed;
  }

  /** A few words about why there is no connection, for the end of an error text; empty when nothing is known. */
  get lastProblem(): string {
    return this.lastError === undefined ? '' : ` (last error: ${this.lastError.message})`;
  }

  /** Calls back whenever a connection has become usable. */
  onReady(listener: () => void): void {
    this.readyListeners.push(listener);
  }

  /**
   * Connects, if that has not begun, and resolves when commands can be sent.
   *
   * @throws StoreUnavailableError after `deadlineMs`; connecting goes on.
   */
  async open(deadlineMs: number): Promise<void> {
    if (!this.started) {
      this.started = true;
      this.connect();
    }
    if (this.isReady) return;
    let timer: NodeJS.Timeout | undefined;
    const ready = new Promise<void>((resolve, reject) => {
      const waiter = { resolve, reject };
      this.waiters.add(waiter);
      timer = setTimeout(() => {
        this.waiters.delete(waiter);
        this.recycleIfStuck();
        const problem = `Redis could not be reached within ${deadlineMs} ms${this.lastProblem}.`;
        reject(new StoreUnavailableError('not_sent', problem));
      }, deadlineMs);
    });
    try {
      await ready;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Makes a client for a subscription, not connected yet; null when a cluster knows no node. */
  subscriberClient(): Redis | null {
    const client = this.pattern.subscriberClient(this.client);
    client?.on('error', (error: Error) => this.reportError(error));
    return client;
  }

  /** Gives the connection up and makes it anew. */
  recycle(): void {
    if (!this.closed) this.client.disconnect(true);
  }

  /** Gives a connection up that was made but has not become usable, as behind a proxy that answers nothing. */
  recycleIfStuck(): void {
    const unchangedMs = performance.now() - this.changedAtMs;
    if (this.client.status === 'connect' && unchangedMs >= this.options.maxSilenceMs) this.recycle();
  }

  /** Hears of an error that no caller can be told of. */
  reportError(error: Error): void {
    if (this.closed) return;
    this.lastError = error;
    this.options.onError(error);
  }

  /** Disconnects; resolves when the socket is gone. */
  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.revival);
    for (const { reject } of this.waiters) reject(new QueueClosedError());
    this.waiters.clear();
    await disconnect(this.client);
  }

  private follow(client: RedisClient): void {
    client.on('error', (error: Error) => this.reportError(error));
    for (const state of ['connecting', 'connect', 'ready', 'close', 'reconnecting']) {
      client.on(state, () => (this.changedAtMs = performance.now()));
    }
    client.on('ready', () => this.becomeReady());
    client.on('end', () => this.revive());
  }

  private becomeReady(): void {
    this.lastError = undefined;
    for (const listener of this.readyListeners) listener();
    for (const { resolve } of this.waiters) resolve();
    this.waiters.clear();
  }

  private revive(): void {
    if (this.closed) return;
    clearTimeout(this.revival);
    this.revival = setTimeout(() => this.connect(), REVIVAL_DELAY_MS);
  }

  private connect(): void {
    // Failures arrive as 'error' events too, and the client goes on trying by itself.
    this.client.connect().catch(() => undefined);
  }
}

/** Disconnects a client and resolves when its socket is gone, or after {@link CLOSE_WAIT_MS}. */
export async function disconnect(client: RedisClient): Promise<void> {
  if (!OPEN_STATES.includes(client.status)) {
    client.disconnect();
    return;
  }
  let timer: NodeJS.Timeout | undefined;
  const ended = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, CLOSE_WAIT_MS);
    client.once('end', resolve);
  });
  client.disconnect();
  await ended;
  clearTimeout(timer);
}
