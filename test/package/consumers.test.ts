import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RedisServer } from '../support/redis-server.js';
import { Consumer } from './support/consumer.js';

const run = promisify(execFile);

/** Limit for an install from the registry and what follows: minutes on a busy machine. */
const LIMIT_MS = 600_000;

const root = join(import.meta.dirname, '../..');

/** Two tests over each of two HTTP adapters. */
const TESTS = { success: true, numPassedTests: 4, numTotalTests: 4 };

interface Manifest {
  readonly devDependencies: Readonly<Record<string, string>>;
}

/** Of NestJS and ioredis the newest, as a new application gets them, and how the application is compiled. */
const CONSUMERS = {
  'nest-12-esm': { type: 'module', nest: '^12.0.0', ioredis: '^6.0.0', typescript: '^6.0.0' },
  // Its `moduleResolution` is of before `exports` in package.json, as in most applications of its age.
  'nest-11-commonjs': { type: 'commonjs', nest: '^11.0.0', ioredis: '^5.6.0', typescript: '^5.9.0' },
} as const;

describe('the packed library', () => {
  let server: RedisServer;
  let folder: string;
  let tarball: string;
  let versions: Readonly<Record<string, string>>;

  beforeAll(async () => {
    server = await RedisServer.start();
    folder = await mkdtemp(join(tmpdir(), 'consumers-'));
    const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as Manifest;
    versions = manifest.devDependencies;
    await run('npx', ['nest', 'build', 'delay-queue'], { cwd: root });
    const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], {
      cwd: join(root, 'libs/delay-queue'),
      maxBuffer: 64 * 1024 * 1024,
    });
    const [packed] = JSON.parse(stdout.slice(stdout.indexOf('['))) as { readonly filename: string }[];
    tarball = join(folder, packed?.filename ?? '');
  }, LIMIT_MS);

  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }, LIMIT_MS);

  it.each(Object.entries(CONSUMERS))(
    'serves an application of %s, under jest and vitest, over express and fastify, and as a program',
    async (name, { type, nest, ioredis, typescript }) => {
      const ours = ['@swc/core', '@swc/jest', '@types/node', 'jest', 'reflect-metadata', 'rxjs'];
      const packages = ['common', 'core', 'platform-express', 'platform-fastify', 'testing'];
      const dependencies = {
        ...Object.fromEntries(ours.map((each) => [each, versions[each]])),
        ...Object.fromEntries(packages.map((each) => [`@nestjs/${each}`, nest])),
        ioredis,
        typescript,
        'nestjs-delay-queue': `file:${tarball}`,
        // The last major versions of the two that run on Node 20.
        vite: '^7.0.0',
        vitest: '^3.2.0',
        'unplugin-swc': '^1.5.0',
      };
      const consumer = await Consumer.install({
        folder: join(folder, name),
        settings: join(import.meta.dirname, name),
        manifest: { name, private: true, type, dependencies },
        env: { REDIS_URL: server.url, QUEUE_PREFIX: name },
      });
      expect(await consumer.buildAndStart()).toBe('reminded of tea, and closed\n');
      const reports = { jest: await consumer.jest(), vitest: await consumer.vitest() };
      for (const [runner, { numPassedTests }] of Object.entries(reports)) {
        process.stderr.write(`${name}, ${runner}: ${numPassedTests} tests passed over express and fastify\n`);
      }
      expect(reports).toMatchObject({ jest: TESTS, vitest: TESTS });
    },
    LIMIT_MS,
  );
});
