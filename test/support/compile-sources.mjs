/**
 * Compiles the library and the programs of the tests to plain JavaScript: `node compile-sources.mjs <target folder>`.
 *
 * A program that is started many times gets going three times faster than through `ts-loader.mjs`, whose hooks cost a trip
 * to another thread for every import.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformSync } from '@swc/core';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Folders of sources that a program of the tests may import from. */
const SOURCE_FOLDERS = [
  'libs/delay-queue/src',
  'apps/order-app/src',
  'test/faults/worker',
  'test/ledger/order-app',
  'test/support',
];

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

const target = process.argv[2];
if (target === undefined) throw new Error('usage: node compile-sources.mjs <target folder>');

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function compile(file) {
  const { code } = transformSync(readFileSync(file, 'utf8'), { ...SWC_OPTIONS, filename: file });
  write(join(target, relative(ROOT, file)).replace(/\.ts$/, '.js'), code);
}

for (const folder of SOURCE_FOLDERS) {
  for (const entry of readdirSync(join(ROOT, folder), { recursive: true })) {
    const isProgram = entry.endsWith('.ts') && !/\.(spec|test)\.ts$/.test(entry);
    if (isProgram) compile(join(ROOT, folder, entry));
  }
}

write(join(target, 'package.json'), JSON.stringify({ type: 'module' }));
// The package's own name means the compiled sources, as it means the sources in the tests.
write(
  join(target, 'node_modules/nestjs-delay-queue/package.json'),
  JSON.stringify({ type: 'module', exports: { '.': './index.js', './ledger': './ledger.js' } }),
);
write(
  join(target, 'node_modules/nestjs-delay-queue/index.js'),
  `export * from '../../libs/delay-queue/src/index.js';\n`,
);
write(
  join(target, 'node_modules/nestjs-delay-queue/ledger.js'),
  `export * from '../../libs/delay-queue/src/ledger/index.js';\n`,
);
