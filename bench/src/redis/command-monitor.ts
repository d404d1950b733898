import { Redis } from 'ioredis';

/** Commands that clients sent. */
export interface CommandCount {
  readonly total: number;
  /** Script calls. */
  readonly scripts: number;
  /** Commands that wait in the server until something comes. */
  readonly blocking: number;
}

const SCRIPTS = /^(eval|evalsha|fcall)$/i;
const BLOCKING = /^(b[lrz]|xread)/i;

/**
 * Counts what clients send, with MONITOR.
 *
 * MONITOR shows the commands that scripts call too, marked `lua` in place of an address: those are no round trips and are
 * not counted. `INFO commandstats` could not tell the two apart.
 */
export class CommandMonitor {
  private counts = { total: 0, scripts: 0, blocking: 0 };

  private constructor(
    private readonly connection: Redis,
    private readonly ignored: ReadonlySet<string>,
  ) {
    connection.on('monitor', (_time: string, args: string[], source: string) => this.saw(args, source));
  }

  /**
   * Begins to count.
   *
   * @param ignored addresses (`ip:port`) of clients that do not count.
   */
  static async start(url: string, ignored: readonly string[] = []): Promise<CommandMonitor> {
    const client = new Redis(url);
    const connection = await client.monitor();
    client.disconnect();
    return new CommandMonitor(connection, new Set(ignored));
  }

  /** What was sent since the start, or the last time that this was asked. */
  take(): CommandCount {
    const taken = this.counts;
    this.counts = { total: 0, scripts: 0, blocking: 0 };
    return taken;
  }

  stop(): void {
    this.connection.disconnect();
  }

  private saw([command = '']: readonly string[], source: string): void {
    if (source === 'lua' || this.ignored.has(source)) return;
    this.counts.total++;
    if (SCRIPTS.test(command)) this.counts.scripts++;
    if (BLOCKING.test(command)) this.counts.blocking++;
  }
}
