/**
 * Runs jest with native ES modules: `node scripts/jest.mjs [jest arguments]`.
 *
 * A timer, socket or child process that a test leaves open in jest's own process fails the run, where jest alone would hang.
 * Of a worker jest only says that it "has failed to exit gracefully", which it also says of one that a busy machine has not
 * let exit within half a second: that line is a hint to run the file alone, and no failure.
 */
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { findRedisServer } from './redis-server.mjs';
import { findMariaDb, findPostgres } from './sql-servers.mjs';

// What jest prints on stderr when an open handle keeps its own process alive.
const HANGS = 'Jest did not exit';

// Time for a slow teardown to end by itself after jest has complained, before the run counts as hung.
const graceMs = 10_000;

const args = process.argv.slice(2);
const watches = args.some((argument) => argument.startsWith('--watch'));
const jestBin = createRequire(import.meta.url).resolve('jest/bin/jest');

const [redisServer, postgres, mariaDb] = await Promise.all([findRedisServer(), findPostgres(), findMariaDb()]);
const env = {
  ...(process.stderr.isTTY && { FORCE_COLOR: '1' }),
  ...(redisServer && { REDIS_SERVER_BIN: redisServer.path }),
  ...(postgres && { POSTGRES_BIN_DIR: postgres.folder }),
  ...(mariaDb && { MARIADB_SERVER_BIN: mariaDb.server, MARIADB_SETUP_BIN: mariaDb.setup ?? '' }),
  ...process.env,
};

const jest = spawn(
  process.execPath,
  ['--disable-warning=ExperimentalWarning', '--experimental-vm-modules', jestBin, ...args],
  { stdio: ['inherit', 'inherit', 'pipe'], env },
);

let leaked = false;
let recentOutput = '';

jest.stderr.on('data', (chunk) => {
  process.stderr.write(chunk);
  recentOutput = (recentOutput + chunk).slice(-2_000);
  if (leaked || watches) return;
  leaked = recentOutput.includes(HANGS);
  if (leaked) setTimeout(() => jest.kill('SIGKILL'), graceMs).unref();
});

for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => jest.kill(signal));

jest.on('close', (code, signal) => {
  process.exitCode = code ?? 128 + constants.signals[signal];
  if (!leaked) return;
  process.exitCode = 1;
  console.error('\nFailed: a test left a timer, socket or child process open. To find it:');
  console.error('  npm run test:one -- <file> --runInBand --detectOpenHandles');
});
