/**
 * Makes sure that the tests have a real Redis, and says in one line which one: `TEST_REDIS_URL`, an installed
 * redis-server, or, on Debian and Ubuntu as root, one that is installed now. Anywhere else it stops with the command to type.
 */
import { spawnSync } from 'node:child_process';
import { canInstall, installPackage, isDebianLike } from './apt.mjs';
import { findRedisServer, listRedisServers, minRedisVersion } from './redis-server.mjs';

const { TEST_REDIS_URL: url, REDIS_SERVER_BIN: named } = process.env;
const found = await findRedisServer();

if (url) sayUrl(url);
else if (found) say(found);
else if (named) stop(`REDIS_SERVER_BIN names ${named}, which is not one`);
else if (canInstall()) await install();
else stop('no redis-server was found');

function say({ path, version }, note = '') {
  console.log(`redis for the tests: ${path} ${version}${note}`);
}

function sayUrl(redisUrl) {
  const own = found ? `${found.path} ${found.version}` : 'none found';
  console.log(`redis for the tests: ${withoutPassword(redisUrl)}; for tests that start their own server: ${own}`);
}

function withoutPassword(url) {
  return url.replace(/:[^:@/]*@/, ':***@');
}

async function install() {
  const [older] = await listRedisServers();
  if (older) stop(`${older.path} is version ${older.version}`);
  console.log('redis for the tests: none found, installing the package redis-server');
  try {
    installPackage('redis-server');
  } catch (error) {
    stop(`the installation failed (${error.message})`);
  }
  const installed = await findRedisServer();
  if (!installed) stop('the installed redis-server is missing or too old');
  say(installed, ' (just installed, its service was not started)');
}

function installCommand() {
  if (process.platform === 'darwin') return 'brew install redis';
  if (process.platform === 'win32') return 'in WSL: sudo apt-get install -y redis-server, and run the tests there';
  if (isDebianLike()) return 'sudo apt-get update && sudo apt-get install -y redis-server';
  const managers = [
    ['dnf', 'sudo dnf install -y redis'],
    ['apk', 'sudo apk add redis'],
    ['pacman', 'sudo pacman -S --noconfirm redis'],
    ['zypper', 'sudo zypper install -y redis'],
  ];
  const manager = managers.find(([name]) => spawnSync('which', [name]).status === 0);
  return manager?.[1] ?? 'install redis-server with the package manager of this system';
}

function stop(reason) {
  console.error(`The tests need a real Redis ${minRedisVersion} or newer, and ${reason}.`);
  console.error(`Install one:           ${installCommand()}`);
  console.error(
    'Or with Docker:        docker run -d -p 6379:6379 redis:7, then TEST_REDIS_URL=redis://127.0.0.1:6379 npm test',
  );
  console.error('Or name an executable: REDIS_SERVER_BIN=/path/to/redis-server npm test');
  process.exit(1);
}
