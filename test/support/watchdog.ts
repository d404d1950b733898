import { type ChildProcess, spawn } from 'node:child_process';

/**
 * Kills the server when this process is gone, whatever ended it: the pipe to the watchdog breaks even on SIGKILL.
 *
 * It has a process group of its own, so that Ctrl-C does not take it along before it has done its work.
 */
export function startWatchdog(pid: number | undefined, folder: string): ChildProcess | undefined {
  if (pid === undefined) return undefined;
  const script = 'while read -r _; do :; done; kill -9 "$1" 2>/dev/null; rm -rf "$2"';
  return spawn('sh', ['-c', script, 'watchdog', String(pid), folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
}
