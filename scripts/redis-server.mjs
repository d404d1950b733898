/** Finds the redis-server that the tests start. */
import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The oldest Redis whose commands the scripts of the library use. */
export const minRedisVersion = '6.2';

// Package managers install here; a trimmed PATH (cron, some CI runners) may lack these folders.
const usualFolders = ['/usr/local/bin', '/usr/bin', '/opt/homebrew/bin', '/usr/local/sbin', '/usr/sbin'];

/**
 * Lists the redis-servers of this machine as `{ path, version, usable }`, the first choice first.
 *
 * With `REDIS_SERVER_BIN` that executable alone counts; else the PATH, then the folders where package managers install.
 * One older than {@link minRedisVersion} is listed, but not usable.
 */
export async function listRedisServers(env = process.env) {
  const paths = env.REDIS_SERVER_BIN ? [env.REDIS_SERVER_BIN] : candidatePaths(env.PATH ?? '');
  const servers = await Promise.all(paths.map(async (path) => ({ path, version: await versionOf(path) })));
  return servers
    .filter(({ version }) => version !== undefined)
    .map((server) => ({ ...server, usable: isAtLeast(server.version, minRedisVersion) }));
}

/** The first usable redis-server, or `undefined`. */
export async function findRedisServer(env = process.env) {
  const servers = await listRedisServers(env);
  return servers.find(({ usable }) => usable);
}

function candidatePaths(searchPath) {
  const folders = [...searchPath.split(delimiter).filter(Boolean), ...usualFolders];
  return [...new Set(folders)].map((folder) => join(folder, 'redis-server'));
}

/** `redis-server --version` prints "Redis server v=7.0.15 sha=…". */
async function versionOf(path) {
  try {
    await access(path, constants.X_OK);
    const { stdout } = await run(path, ['--version'], { timeout: 10_000 });
    return /\bv=(\d+\.\d+\.\d+)/.exec(stdout)?.[1];
  } catch {
    return undefined;
  }
}

function isAtLeast(version, minimum) {
  const [major, minor] = version.split('.').map(Number);
  const [minMajor, minMinor] = minimum.split('.').map(Number);
  return major > minMajor || (major === minMajor && minor >= minMinor);
}
