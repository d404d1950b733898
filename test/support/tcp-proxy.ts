import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** Which way the data of a connection go. */
type Direction = 'requests' | 'replies';

/** One connection through the proxy. */
interface Link {
  readonly client: Socket;
  readonly server: Socket;
  /** What is being kept back, by direction. */
  readonly held: Record<Direction, Buffer[]>;
  /** Nothing goes through any more, and neither side is told. */
  dead: boolean;
}

/**
 * A network of a test's own between a client and a server on 127.0.0.1: it can be slow, cut, or swallow what is sent.
 *
 * A connection that was open when the network died by {@link goSilent} stays silent for ever, as after a router's restart;
 * new ones work after {@link restore}.
 */
export class TcpProxy {
  private readonly links = new Set<Link>();
  private readonly holding = new Set<Direction>();
  private refusing = false;
  private silent = false;
  private delayMs = 0;

  private constructor(
    private readonly listener: Server,
    private readonly targetPort: number,
  ) {
    listener.on('connection', (client) => this.accept(client));
  }

  /** Starts a proxy in front of a port. */
  static async start(targetPort: number): Promise<TcpProxy> {
    const listener = createServer({ noDelay: true });
    const proxy = new TcpProxy(listener, targetPort);
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    return proxy;
  }

  get port(): number {
    const address = this.listener.address();
    if (address === null || typeof address === 'string') throw new Error('the proxy does not listen');
    return address.port;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Connections that are open. */
  get connections(): number {
    return this.links.size;
  }

  /** Bytes that are being kept back in one direction. */
  heldBytes(direction: Direction): number {
    const parts = [...this.links].flatMap((link) => link.held[direction]);
    return parts.reduce((sum, part) => sum + part.length, 0);
  }

  /** Ends every connection and accepts none until {@link restore}. */
  cut(): void {
    this.refusing = true;
    this.dropAll();
  }

  /** Ends every connection; new ones work. */
  dropAll(): void {
    for (const link of this.links) drop(link);
    this.links.clear();
  }

  /** Lets nothing through any more, on old and new connections, without telling anybody. */
  goSilent(): void {
    this.silent = true;
    for (const link of this.links) link.dead = true;
  }

  /** Keeps back what goes one way, on all connections, until {@link restore}. */
  hold(direction: Direction): void {
    this.holding.add(direction);
  }

  /** Delays everything by so much, each way. */
  slowDown(delayMs: number): void {
    this.delayMs = delayMs;
  }

  /** Works as a good network again; what was kept back arrives. */
  restore(): void {
    this.refusing = false;
    this.silent = false;
    this.delayMs = 0;
    this.holding.clear();
    for (const link of this.links) {
      for (const direction of ['requests', 'replies'] as const) flush(link, direction);
    }
  }

  /** Ends every connection and listens no more. */
  async stop(): Promise<void> {
    this.dropAll();
    this.listener.close();
    await once(this.listener, 'close');
  }

  private accept(client: Socket): void {
    if (this.refusing) {
      client.destroy();
      return;
    }
    const server = connect({ port: this.targetPort, host: '127.0.0.1', noDelay: true });
    const link: Link = { client, server, held: { requests: [], replies: [] }, dead: this.silent };
    this.links.add(link);
    client.on('data', (data) => this.pass(link, 'requests', data));
    server.on('data', (data) => this.pass(link, 'replies', data));
    for (const socket of [client, server]) {
      // What went wrong on one side is told to the other by the end of the connection.
      socket.on('error', () => undefined);
      socket.on('close', () => this.closed(link));
    }
  }

  private closed(link: Link): void {
    // The client of a dead connection hears nothing, not even its end.
    if (link.dead && !link.client.destroyed) return;
    this.links.delete(link);
    drop(link);
  }

  private pass(link: Link, direction: Direction, data: Buffer): void {
    if (link.dead) return;
    if (this.delayMs === 0) {
      this.arrive(link, direction, data);
      return;
    }
    // Timers of one length fire in the order in which they were set.
    setTimeout(() => this.arrive(link, direction, data), this.delayMs);
  }

  private arrive(link: Link, direction: Direction, data: Buffer): void {
    if (link.dead) return;
    link.held[direction].push(data);
    if (!this.holding.has(direction)) flush(link, direction);
  }
}

function flush(link: Link, direction: Direction): void {
  if (link.dead) return;
  const receiver = direction === 'requests' ? link.server : link.client;
  for (const data of link.held[direction].splice(0)) receiver.write(data);
}

function drop({ client, server }: Link): void {
  client.destroy();
  server.destroy();
}
