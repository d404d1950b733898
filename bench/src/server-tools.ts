import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Kills a server when this process is gone, whatever ended it: the pipe to it breaks even on SIGKILL. */
const WATCHDOG = 'while read -r _; do :; done; kill -9 "$1" 2>/dev/null; rm -rf "$2"';

/** Starts a process that ends a server and removes its folder when its input ends. */
export function startWatchdog(pid: number | undefined, folder: string): ChildProcess {
  return spawn('sh', ['-c', WATCHDOG, 'watchdog', String(pid), folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
}

/** Resolves when a process has ended. */
export async function exitOf(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

/** A port of 127.0.0.1 that nobody uses. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('the system gave no port');
  return address.port;
}
