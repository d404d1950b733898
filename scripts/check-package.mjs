/**
 * Packs the library and uses the tarball as its users do: installed from outside the workspace beside its peers, by `import`
 * and by `require()`, with NestJS 12 and 11. Run it after a build: `node scripts/check-package.mjs`.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { promisify } from 'node:util';
import { findRedisServer } from './redis-server.mjs';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');
const library = join(root, 'libs/delay-queue');
const tsc = join(createRequire(import.meta.url).resolve('typescript/package.json'), '../bin/tsc');

const readJson = async (path) => JSON.parse(await readFile(path, 'utf8'));
const { devDependencies: ours } = await readJson(join(root, 'package.json'));
const manifest = await readJson(join(library, 'package.json'));

/** Both ends of the peer ranges; one with the optional peer and one without it. */
const consumers = {
  'nest-12': {
    '@nestjs/common': ours['@nestjs/common'],
    '@nestjs/core': ours['@nestjs/core'],
    '@nestjs/platform-express': ours['@nestjs/platform-express'],
    '@nestjs/terminus': ours['@nestjs/terminus'],
    '@nestjs/testing': ours['@nestjs/testing'],
    '@opentelemetry/api': ours['@opentelemetry/api'],
    ioredis: ours.ioredis,
    'reflect-metadata': ours['reflect-metadata'],
    rxjs: ours.rxjs,
  },
  'nest-11': {
    '@nestjs/common': '11.0.0',
    '@nestjs/core': '11.0.0',
    '@nestjs/platform-express': '11.0.0',
    '@nestjs/schedule': '6.0.0',
    '@nestjs/terminus': '11.0.0',
    '@nestjs/testing': '11.0.0',
    '@opentelemetry/api': '1.9.0',
    ioredis: '5.6.0',
    'reflect-metadata': ours['reflect-metadata'],
    rxjs: ours.rxjs,
  },
};

const entryPoints = Object.keys(manifest.exports)
  .filter((key) => !key.endsWith('.json'))
  .map((key) => posix.join(manifest.name, key));

const redisServer = await findRedisServer();

const folder = await mkdtemp(join(tmpdir(), 'check-package-'));
try {
  const { tarball, files } = await pack();
  await checkContents(files);
  const checks = Object.entries(consumers).map(([name, peers]) => checkConsumer(name, peers, tarball));
  // All of them end before the folder goes: a failure must not be hidden by one of another that still writes.
  for (const check of await Promise.allSettled(checks)) if (check.status === 'rejected') throw check.reason;
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function pack() {
  const { stdout } = await npm(['pack', '--json', '--pack-destination', folder], library);
  const [{ filename, files }] = JSON.parse(stdout.slice(stdout.indexOf('[')));
  return { tarball: join(folder, filename), files: files.map(({ path }) => path) };
}

async function checkContents(files) {
  const present = new Set(files);
  const targets = Object.values(manifest.exports).flatMap((target) =>
    typeof target === 'string' ? [target] : Object.values(target),
  );
  for (const target of targets)
    assert(present.has(posix.normalize(target)), `exports names ${target}, which is not packed`);
  assert(present.has('LICENSE'), 'LICENSE is not packed');

  const strangers = files.filter(
    (file) =>
      !/^(dist\/.+\.(js|d\.ts|js\.map)|sql\/.+\.sql|package\.json|LICENSE|README.*\.md|CHANGELOG\.md)$/.test(file),
  );
  assert.deepEqual(strangers, [], 'these files do not belong into the package');
  const tests = files.filter((file) => /\.(spec|test)\.|(^|\/)(test|__tests__)\//.test(file));
  assert.deepEqual(tests, [], 'tests do not belong into the package');

  for (const file of files.filter((name) => name.endsWith('.map'))) {
    const { sources, sourcesContent } = await readJson(join(library, file));
    const missing = sources.filter(
      (source, index) =>
        typeof sourcesContent?.[index] !== 'string' && !present.has(posix.join(posix.dirname(file), source)),
    );
    assert.deepEqual(missing, [], `${file} points to sources that are not packed`);
  }
  console.log(`packed: ${files.length} files`);
}

async function checkConsumer(name, peers, tarball) {
  const consumer = join(folder, name);
  await mkdir(consumer);
  const dependencies = { ...peers, '@types/node': ours['@types/node'], [manifest.name]: `file:${tarball}` };
  await write(consumer, 'package.json', JSON.stringify({ name, private: true, dependencies }));
  await npm(
    ['install', '--strict-peer-deps', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'],
    consumer,
  );

  const fromEsm = await exportsSeenBy(consumer, 'esm.mjs', (entry) => `await import('${entry}')`);
  const fromCommonJs = await exportsSeenBy(consumer, 'commonjs.cjs', (entry) => `require('${entry}')`);
  assert.deepEqual(fromCommonJs, fromEsm, 'import and require() do not see the same exports');
  for (const [entry, names] of Object.entries(fromEsm)) assert(names.length > 0, `${entry} exports nothing`);
  await checkTypes(consumer);
  const states = await runScript(consumer, 'check-lifecycle.cjs');
  const enhancers = await runScript(consumer, 'check-enhancers.cjs');
  await runScript(consumer, 'check-schemas.cjs');

  const counts = Object.entries(fromEsm).map(([entry, names]) => `${entry} (${names.length} exports)`);
  console.log(`${name}: ${counts.join(', ')}: import, require() and types work`);
  console.log(`${name}: applications boot and close in order in ${states} states, enhancers pass ${enhancers} checks`);
  console.log(`${name}: schemas are asked, and a class says which packages it needs`);
}

/** Runs one of the scripts beside this one as a script of the consumer, and answers what it printed. */
async function runScript(consumer, script) {
  await copyFile(join(root, 'scripts', script), join(consumer, script));
  const env = { ...process.env, ...(redisServer && { REDIS_SERVER_BIN: redisServer.path }) };
  const { stdout } = await run(process.execPath, [script], { cwd: consumer, timeout: 120_000, env });
  return stdout.trim();
}

/** The names that each entry point exports, as a script of the consumer sees them. */
async function exportsSeenBy(consumer, script, load) {
  const entries = entryPoints.map(
    (entry) => `'${entry}': Object.keys(${load(entry)}).filter((name) => name !== 'module.exports').sort()`,
  );
  await write(consumer, script, `process.stdout.write(JSON.stringify({ ${entries.join(', ')} }));\n`);
  const { stdout } = await run(process.execPath, [script], { cwd: consumer });
  return JSON.parse(stdout);
}

/** Compiles one ES module and one CommonJS file that use every entry point, and our declarations with them. */
async function checkTypes(consumer) {
  const uses = entryPoints.map((_, index) => `export const size${index}: number = Object.keys(entry${index}).length;`);
  const imports = entryPoints.map((entry, index) => `import * as entry${index} from '${entry}';`);
  const requires = entryPoints.map((entry, index) => `import entry${index} = require('${entry}');`);
  await write(consumer, 'esm.mts', [...imports, ...uses].join('\n'));
  await write(consumer, 'commonjs.cts', [...requires, ...uses].join('\n'));
  const options = [
    '--noEmit',
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2023',
    '--types',
    'node',
    '--pretty',
    'false',
  ];
  const output = await run(process.execPath, [tsc, ...options, 'esm.mts', 'commonjs.cts'], { cwd: consumer }).then(
    () => '',
    (error) => error.stdout || String(error),
  );
  // Without skipLibCheck, so that a declaration of ours with a missing type is seen; what other packages declare is not ours to check.
  const errors = output.split('\n').filter((line) => /error/i.test(line));
  const others = new RegExp(`^node_modules/(?!${manifest.name}/)`);
  assert.deepEqual(
    errors.filter((line) => !others.test(line)),
    [],
    'the declarations do not compile for a user',
  );
}

function write(consumer, file, text) {
  return writeFile(join(consumer, file), text);
}

async function npm(args, cwd) {
  // npm tells its children which package they belong to; the child must look at its own folder.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(
      ([key]) => !/^npm_(package|lifecycle)_|^npm_config_(local_prefix|prefix)$/i.test(key),
    ),
  );
  const windows = process.platform === 'win32';
  try {
    return await run(windows ? 'npm.cmd' : 'npm', args, { cwd, env, shell: windows, maxBuffer: 64 * 1024 * 1024 });
  } catch (error) {
    throw new Error(`npm ${args.join(' ')} failed in ${cwd}\n${error.stdout}\n${error.stderr}`, { cause: error });
  }
}
