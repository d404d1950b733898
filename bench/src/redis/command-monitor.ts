import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

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

/** `+1339518083.107412 [0 127.0.0.1:60866] "evalsha" "4e1…" …`: who sent a command, and its name. */
const LINE = /^\+[\d.]+ \[\d+ (\S+)\] "([^"]*)"/;

/**
 * Counts what clients send, with MONITOR.
 *
 * MONITOR shows the commands that scripts call too, marked `lua` in place of an address: those are no round trips and are
 * not counted. `INFO commandstats` could not tell the two apart.
 *
 * It reads the socket itself: ioredis takes a line that comes together with the answer to MONITOR for an answer to nothing.
 */
export class CommandMonitor {
  private counts = { total: 0, scripts: 0, blocking: 0 };

  private constructor(
    private readonly socket: Socket,
    private readonly ignored: ReadonlySet<string>,
  ) {}

  /**
   * Begins to count.
   *
   * @param ignored addresses (`ip:port`) of clients that do not count.
   */
  static async start(url: string, ignored: readonly string[] = []): Promise<CommandMonitor> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    const monitor = new CommandMonitor(socket, new Set(ignored));
    const lines = createInterface({ input: socket });
    const started = once(lines, 'line');
    lines.on('line', (line) => monitor.saw(line));
    socket.write('MONITOR\r\n');
    const [answer] = (await started) as [string];
    if (answer !== '+OK') throw new Error(`MONITOR was answered with '${answer}'`);
    return monitor;
  }

  /** What was sent since the start, or the last time that this was asked. */
  take(): CommandCount {
    const taken = this.counts;
    this.counts = { total: 0, scripts: 0, blocking: 0 };
    return taken;
  }

  stop(): void {
    this.socket.destroy();
  }

  private saw(line: string): void {
    const [, source = 'lua', command = ''] = LINE.exec(line) ?? [];
    if (source === 'lua' || this.ignored.has(source)) return;
    this.counts.total++;
    if (SCRIPTS.test(command)) this.counts.scripts++;
    if (BLOCKING.test(command)) this.counts.blocking++;
  }
}
