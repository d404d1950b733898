import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const layers = [
  'core',
  'task',
  'options',
  'ports',
  'redis',
  'memory',
  'ledger',
  'runtime',
  'nest',
  'testing',
  'terminus',
  'opentelemetry',
] as const;
type Layer = (typeof layers)[number];

const portsAndBelow: readonly Layer[] = ['core', 'task', 'options', 'ports'];

const mayImport: Readonly<Record<Layer, readonly Layer[]>> = {
  core: [],
  task: ['core'],
  options: ['core', 'task'],
  ports: ['core', 'task'],
  redis: portsAndBelow,
  memory: portsAndBelow,
  ledger: portsAndBelow,
  runtime: portsAndBelow,
  nest: [...portsAndBelow, 'redis', 'memory', 'ledger', 'runtime'],
  testing: [...portsAndBelow, 'redis', 'memory', 'ledger', 'runtime', 'nest'],
  terminus: [...portsAndBelow, 'redis', 'memory', 'ledger', 'runtime', 'nest'],
  opentelemetry: ['core', 'task', 'ports'],
};

const packageUsers: Readonly<Record<string, readonly Layer[]>> = {
  ioredis: ['redis'],
  '@nestjs/common': ['nest', 'testing', 'terminus'],
  '@nestjs/core': ['nest', 'testing', 'terminus'],
  '@opentelemetry/api': ['opentelemetry'],
  rxjs: layers,
  'node:crypto': layers,
};

interface Probe {
  readonly file: string;
  readonly statements: readonly string[];
  readonly refused: readonly string[];
}

const sourceRoot = 'libs/delay-queue/src';

function probesOf(layer: Layer): Readonly<Record<string, Probe>> {
  const forbiddenLayers = layers.filter((other) => other !== layer && !mayImport[layer].includes(other));
  const packages = Object.keys(packageUsers);
  const toLayer = (other: Layer): string => `import '../${other}/probe.js';`;
  const toPackage = (name: string): string => `import '${name}';`;
  const nestedForms = (other: Layer): string[] => [
    `export * from '../../${other}/probe.js';`,
    `export type { Probe } from '../../${other}/deeper/probe.js';`,
    `void import('../../${other}/probe.js');`,
  ];
  const entryPoints = ["import '../index.js';", "import 'nestjs-delay-queue';", "import 'nestjs-delay-queue/testing';"];
  return {
    'refuse an import of a layer beside or above it, and no other': {
      file: `${sourceRoot}/${layer}/layers.ts`,
      statements: ["import './sibling.js';", ...layers.map(toLayer)],
      refused: forbiddenLayers.map(toLayer),
    },
    'hold in a nested folder, for re-exports and for dynamic imports': {
      file: `${sourceRoot}/${layer}/nested/layers.ts`,
      statements: layers.flatMap(nestedForms),
      refused: forbiddenLayers.flatMap(nestedForms),
    },
    'let in only the packages that the layer may use': {
      file: `${sourceRoot}/${layer}/packages.ts`,
      statements: packages.map(toPackage),
      refused: packages.filter((name) => !packageUsers[name]?.includes(layer)).map(toPackage),
    },
    'refuse an import of an entry point of the package': {
      file: `${sourceRoot}/${layer}/entry.ts`,
      statements: entryPoints,
      refused: entryPoints,
    },
    'do not stand in the way of a spec, which may use any layer': {
      file: `${sourceRoot}/${layer}/layers.spec.ts`,
      statements: layers.map(toLayer),
      refused: [],
    },
  };
}

const probes = layers.map((layer) => ({ layer, probes: probesOf(layer) }));
const refusedLines = new Map<string, Set<number>>();
let workspace: string;

beforeAll(async () => {
  workspace = await mkdtemp(join(tmpdir(), 'layer-walls-'));
  const { rules: _rules, options: _options, ...walls } = JSON.parse(await readFile('.oxlintrc.json', 'utf8'));
  await writeFile(join(workspace, '.oxlintrc.json'), JSON.stringify(walls));
  const files = probes.flatMap((entry) => Object.values(entry.probes));
  for (const { file, statements } of files) {
    await mkdir(dirname(join(workspace, file)), { recursive: true });
    await writeFile(join(workspace, file), statements.join('\n') + '\n');
  }

  const report = await lint(workspace);
  expect(report.number_of_files).toBe(files.length);
  for (const { code, filename, labels } of report.diagnostics) {
    if (code !== 'eslint(no-restricted-imports)') continue;
    const lines = refusedLines.get(filename) ?? new Set();
    for (const { span } of labels) lines.add(span.line);
    refusedLines.set(filename, lines);
  }
});

afterAll(async () => {
  await rm(workspace, { recursive: true, force: true });
});

interface LintReport {
  readonly number_of_files: number;
  readonly diagnostics: readonly {
    readonly code: string;
    readonly filename: string;
    readonly labels: readonly { readonly span: { readonly line: number } }[];
  }[];
}

/** Lints a folder with its own configuration. */
async function lint(cwd: string): Promise<LintReport> {
  const oxlint = join(dirname(createRequire(import.meta.url).resolve('oxlint/package.json')), 'bin/oxlint');
  const output = await new Promise<string>((resolve, reject) => {
    execFile(process.execPath, [oxlint, '--format', 'json'], { cwd, maxBuffer: 64 * 1024 * 1024 }, (error, stdout) => {
      // 1 says that something was reported; anything else means that oxlint did not run.
      if (error && error.code !== 1) reject(error);
      else resolve(stdout);
    });
  });
  return JSON.parse(output) as LintReport;
}

describe.each(probes)('the walls around the layer $layer', (entry) => {
  it.each(Object.entries(entry.probes))('%s', (_name, { file, statements, refused }) => {
    const lines = refusedLines.get(file);
    expect(statements.filter((_, index) => lines?.has(index + 1))).toEqual(refused);
  });
});
