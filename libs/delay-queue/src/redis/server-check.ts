import { ConfigurationError, isStoreError, StoreRejectedError } from '../core/errors.js';
import type { RedisArguments } from './script-runner.js';

/** Whatever sends a command to the server. */
export interface CommandSender {
  command(name: string, args: RedisArguments): Promise<unknown>;
}

/** What the queue expects of a server. */
export interface ServerExpectation {
  /** Our client is one for clusters. */
  readonly isCluster: boolean;
}

/** A version, as major and minor number. */
type Version = readonly [major: number, minor: number];

const LEAST_VERSION: Version = [6, 2];

/** The oldest version on which the queue is tested in a cluster. */
const LEAST_CLUSTER_VERSION: Version = [7, 0];

/** SHA-1 of no script: a server that lets us run scripts answers NOSCRIPT. */
const NO_SCRIPT = '0'.repeat(40);

/**
 * Makes sure that the server can serve at all, and looks for settings that endanger the queue's promises.
 *
 * @returns warnings in plain words; none where the server does not let us look.
 * @throws ConfigurationError when the server is too old, or the user may not run scripts.
 */
export async function checkServer(sender: CommandSender, { isCluster }: ServerExpectation): Promise<readonly string[]> {
  await sender.command('PING', []);
  await checkVersion(sender, isCluster);
  await checkScripts(sender);
  return checkEviction(sender);
}

async function checkVersion(sender: CommandSender, isCluster: boolean): Promise<void> {
  const info = await ifAllowed(sender.command('INFO', ['server']));
  if (typeof info !== 'string') return;
  if (/^redis_mode:cluster/m.test(info) && !isCluster) {
    throw new ConfigurationError('connection', 'the server is a node of a cluster; pass a Cluster client of ioredis');
  }
  const [, version = '', major, minor] = /^redis_version:((\d+)\.(\d+)\S*)/m.exec(info) ?? [];
  const least = isCluster ? LEAST_CLUSTER_VERSION : LEAST_VERSION;
  if (version === '' || !isBefore([Number(major), Number(minor)], least)) return;
  const needed = `Redis ${least.join('.')} or later${isCluster ? ' in a cluster' : ''}`;
  throw new ConfigurationError('connection', `the server is Redis ${version}; ${needed} is needed`);
}

async function checkScripts(sender: CommandSender): Promise<void> {
  await assertMayRun('EVAL', sender.command('EVAL', ['return 1', 0]));
  await assertMayRun('EVALSHA', sender.command('EVALSHA', [NO_SCRIPT, 0]));
}

async function assertMayRun(command: string, call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof StoreRejectedError)) throw error;
    if (error.reason === 'NOSCRIPT') return;
    if (error.reason !== 'NOPERM') throw error;
    const remedy = `the user of this connection may not run scripts (${command}); grant it +eval and +evalsha`;
    throw new ConfigurationError('connection', remedy, { cause: error });
  }
}

async function checkEviction(sender: CommandSender): Promise<readonly string[]> {
  const reply = await ifAllowed(sender.command('CONFIG', ['GET', 'maxmemory-policy']));
  const policy: unknown = Array.isArray(reply) ? reply[1] : undefined;
  if (typeof policy !== 'string' || policy === 'noeviction') return [];
  return [
    `Redis has maxmemory-policy '${policy}': when its memory is full it deletes tasks, and nothing tells. ` +
      `Set maxmemory-policy to 'noeviction'.`,
  ];
}

/** The reply, or undefined where the server refuses the command. */
async function ifAllowed(call: Promise<unknown>): Promise<unknown> {
  try {
    return await call;
  } catch (error) {
    if (isStoreError(error) && error instanceof StoreRejectedError) return undefined;
    throw error;
  }
}

function isBefore([major, minor]: Version, [leastMajor, leastMinor]: Version): boolean {
  return major < leastMajor || (major === leastMajor && minor < leastMinor);
}
