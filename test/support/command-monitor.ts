import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { Redis } from 'ioredis';
import { waitFor } from './wait-for.js';

/** A command that the server has carried out. */
export interface SeenCommand {
  /** Called by a script: no round trip of anybody. */
  readonly byScript: boolean;
  /** In lower case. */
  readonly name: string;
  /** The first argument, as MONITOR writes it, or an empty text. */
  readonly argument: string;
}

/** `+1339518083.107412 [0 127.0.0.1:60866] "evalsha" "4e1…" …`: who sent a command, its name and first argument. */
const LINE = /^\+[\d.]+ \[\d+ (\S+)\] "([^"]*)"(?: "((?:[^"\\]|\\.)*)")?/;

/**
 * Sees every command of a server, with MONITOR; those that scripts call are marked.
 *
 * It reads the socket itself, because ioredis fails when a line comes together with the answer to MONITOR.
 */
export class CommandMonitor {
  private seen: SeenCommand[] = [];

  private constructor(
    private readonly socket: Socket,
    private readonly asker: Redis,
  ) {}

  /** Begins to see. */
  static async start(url: string): Promise<CommandMonitor> {
    const { hostname, port } = new URL(url);
    const asker = new Redis(url);
    await asker.ping();
    const socket = connect(Number(port), hostname);
    const monitor = new CommandMonitor(socket, asker);
    const lines = createInterface({ input: socket });
    const started = once(lines, 'line');
    lines.on('line', (line) => monitor.saw(line));
    socket.write('MONITOR\r\n');
    await started;
    return monitor;
  }

  /** What was carried out since the start, or the last time that this was asked, up to now. */
  async take(): Promise<readonly SeenCommand[]> {
    const mark = randomUUID();
    await this.asker.ping(mark);
    const end = await waitFor(() => this.seen.findIndex(({ argument }) => argument === mark) + 1, {
      what: 'the monitor to see what was sent',
    });
    const taken = this.seen.slice(0, end - 1);
    this.seen = this.seen.slice(end);
    return taken;
  }

  stop(): void {
    this.socket.destroy();
    this.asker.disconnect();
  }

  private saw(line: string): void {
    const [, source, name = '', argument = ''] = LINE.exec(line) ?? [];
    if (source === undefined) return;
    this.seen.push({ byScript: source === 'lua', name: name.toLowerCase(), argument });
  }
}

/** Those that clients sent, each a round trip. */
export function ofClients(commands: readonly SeenCommand[]): readonly SeenCommand[] {
  return commands.filter(({ byScript }) => !byScript);
}
