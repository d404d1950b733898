import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Below the root, so that the compiled programs find its packages. */
const CACHE = join(ROOT, 'node_modules', '.cache');

const COMPILER = join(ROOT, 'test', 'support', 'compile-sources.mjs');

/** The programs of the tests, compiled when the first one is needed. */
export class CompiledPrograms {
  private compiling: Promise<string> | null = null;

  /** Path of a compiled program, given the path of its source below the root. */
  async pathOf(source: string): Promise<string> {
    this.compiling ??= compile();
    return join(await this.compiling, source.replace(/\.ts$/, '.js'));
  }

  /** Removes what was compiled. */
  async remove(): Promise<void> {
    const folder = await this.compiling;
    this.compiling = null;
    if (folder !== null) await rm(folder, { recursive: true, force: true });
  }
}

async function compile(): Promise<string> {
  await mkdir(CACHE, { recursive: true });
  const folder = await mkdtemp(join(CACHE, 'test-programs-'));
  await promisify(execFile)(process.execPath, [COMPILER, folder]);
  return folder;
}
