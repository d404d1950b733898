/**
 * Lets a child process of a test run TypeScript sources directly: `node --import ./test/support/ts-loader.mjs worker.ts`.
 *
 * `./x.js` means `./x.ts` where that exists, as the compiler has it; the package's own name means its sources.
 */
import { readFileSync, existsSync } from 'node:fs';
import { register } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import { transformSync } from '@swc/core';

const ROOT = new URL('../../', import.meta.url);
const SOURCES = new Map([
  ['nestjs-delay-queue', new URL('libs/delay-queue/src/index.ts', ROOT).href],
  ['nestjs-delay-queue/ledger', new URL('libs/delay-queue/src/ledger/index.ts', ROOT).href],
  ['nestjs-delay-queue/testing', new URL('libs/delay-queue/src/testing/index.ts', ROOT).href],
]);

const SWC_OPTIONS = {
  swcrc: false,
  sourceMaps: 'inline',
  module: { type: 'es6' },
  jsc: {
    target: 'es2023',
    keepClassNames: true,
    parser: { syntax: 'typescript', decorators: true },
    transform: {
      legacyDecorator: true,
      decoratorMetadata: true,
      useDefineForClassFields: false,
      verbatimModuleSyntax: true,
    },
  },
};

export async function resolve(specifier, context, nextResolve) {
  const source = SOURCES.get(specifier);
  if (source !== undefined) return { url: source, shortCircuit: true };
  if (/^\.{1,2}\//.test(specifier) && specifier.endsWith('.js') && context.parentURL?.endsWith('.ts')) {
    const url = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL);
    if (existsSync(url)) return { url: url.href, shortCircuit: true };
  }
  return nextResolve(specifier, context);
}

export async function load(url, context, nextLoad) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return nextLoad(url, context);
  const filename = fileURLToPath(url);
  const { code } = transformSync(readFileSync(filename, 'utf8'), { ...SWC_OPTIONS, filename });
  return { format: 'module', source: code, shortCircuit: true };
}

// The same file is the registration, in the main thread, and the hooks, in the loader's.
if (isMainThread) register(pathToFileURL(import.meta.filename));
