/** Finds the servers of SQL databases that the tests start. */
import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, readdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

// Debian keeps PostgreSQL out of the PATH, in a folder for each version; a trimmed PATH may lack the others.
const postgresFolders = ['/usr/local/pgsql/bin', '/usr/local/bin', '/usr/bin', '/opt/homebrew/bin'];
const mysqlFolders = ['/usr/sbin', '/usr/bin', '/usr/local/mysql/bin', '/usr/local/bin', '/opt/homebrew/bin'];

/** The oldest versions whose statements the ledger uses. */
export const minVersions = { PostgreSQL: '12', MariaDB: '10.6', MySQL: '8.0' };

/**
 * The folder of a PostgreSQL with `postgres` and `initdb` as `{ folder, version }`, the newest first choice, or `undefined`.
 *
 * With `POSTGRES_BIN_DIR` that folder alone counts.
 */
export async function findPostgres(env = process.env) {
  const folders = env.POSTGRES_BIN_DIR
    ? [env.POSTGRES_BIN_DIR]
    : [...(await debianFolders()), ...pathOf(env), ...postgresFolders];
  for (const folder of new Set(folders)) {
    if (!(await areExecutable(folder, ['postgres', 'initdb']))) continue;
    const version = /\b(\d+(?:\.\d+)*)/.exec(await versionText(join(folder, 'postgres')))?.[1];
    if (version !== undefined && isAtLeast(version, minVersions.PostgreSQL)) return { folder, version };
  }
  return undefined;
}

/**
 * A MariaDB or MySQL as `{ server, setup, product, version }`, or `undefined`. `setup` makes a data folder; it is `null` where
 * the server does that itself.
 *
 * With `MARIADB_SERVER_BIN` that executable alone counts.
 */
export async function findMariaDb(env = process.env) {
  const folders = [...new Set([...pathOf(env), ...mysqlFolders])];
  const servers = env.MARIADB_SERVER_BIN
    ? [env.MARIADB_SERVER_BIN]
    : ['mariadbd', 'mysqld'].flatMap((name) => folders.map((folder) => join(folder, name)));
  for (const server of servers) {
    const text = await versionText(server);
    const version = /\bVer (\d+\.\d+\.\d+)/.exec(text)?.[1];
    const product = text.includes('MariaDB') ? 'MariaDB' : 'MySQL';
    if (version === undefined || !isAtLeast(version, minVersions[product])) continue;
    if (product === 'MySQL') return { server, setup: null, product, version };
    for (const folder of folders) {
      const setup = join(folder, 'mariadb-install-db');
      if (await areExecutable(folder, ['mariadb-install-db'])) return { server, setup, product, version };
    }
  }
  return undefined;
}

function pathOf(env) {
  return (env.PATH ?? '').split(delimiter).filter(Boolean);
}

async function debianFolders() {
  const root = '/usr/lib/postgresql';
  const versions = await readdir(root).catch(() => []);
  return versions.sort((a, b) => Number(b) - Number(a)).map((version) => join(root, version, 'bin'));
}

async function areExecutable(folder, names) {
  const checks = names.map((name) => access(join(folder, name), constants.X_OK));
  return Promise.all(checks).then(
    () => true,
    () => false,
  );
}

async function versionText(program) {
  return run(program, ['--version'], { timeout: 10_000 }).then(
    ({ stdout }) => stdout,
    () => '',
  );
}

function isAtLeast(version, minimum) {
  const [major, minor = 0] = version.split('.').map(Number);
  const [minMajor, minMinor = 0] = minimum.split('.').map(Number);
  return major > minMajor || (major === minMajor && minor >= minMinor);
}
