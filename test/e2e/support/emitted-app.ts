import { copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { type Options, transformFile } from '@swc/core';

const ROOT = resolve(import.meta.dirname, '../../..');

/** The compiler options of the build, as far as they change what runs. */
const SWC_OPTIONS: Options = {
  swcrc: false,
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

/**
 * The sample app and the library as plain JavaScript in a folder of their own, to be run by node.
 *
 * The packages' own `dist` folders are left alone: a build empties them, perhaps while another test reads them.
 */
export class EmittedApp {
  private constructor(
    /** Folder of the emitted app. */
    readonly folder: string,
    private readonly base: string,
  ) {}

  static async emit(): Promise<EmittedApp> {
    // Inside node_modules, where the app finds its packages.
    const cache = join(ROOT, 'node_modules/.cache');
    await mkdir(cache, { recursive: true });
    const base = await mkdtemp(join(cache, 'order-app-'));
    const library = join(base, 'node_modules/nestjs-delay-queue');
    const folder = join(base, 'order-app');
    await emitSources(join(ROOT, 'libs/delay-queue/src'), join(library, 'dist'));
    await copyFile(join(ROOT, 'libs/delay-queue/package.json'), join(library, 'package.json'));
    await emitSources(join(ROOT, 'apps/order-app/src'), folder);
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }\n');
    return new EmittedApp(folder, base);
  }

  async remove(): Promise<void> {
    await rm(this.base, { recursive: true, force: true });
  }
}

async function emitSources(from: string, to: string): Promise<void> {
  for (const entry of await readdir(from, { recursive: true, withFileTypes: true })) {
    const source = join(entry.parentPath, entry.name);
    if (!entry.isFile() || !source.endsWith('.ts') || source.endsWith('.spec.ts')) continue;
    const target = join(to, relative(from, source)).replace(/\.ts$/, '.js');
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, (await transformFile(source, SWC_OPTIONS)).code);
  }
}
