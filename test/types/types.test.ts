import { describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const here = import.meta.dirname;
const root = join(here, '../..');
const tsc = join(createRequire(import.meta.url).resolve('typescript/package.json'), '../bin/tsc');

/** Compiles a folder as a program of its own, and returns what the compiler says about it, not about the library. */
function compile(folder: string): Promise<{ readonly files: readonly string[]; readonly errors: readonly string[] }> {
  const project = join(here, folder);
  return new Promise((resolve) => {
    execFile(process.execPath, [tsc, '-p', project, '--pretty', 'false', '--listFiles'], { cwd: root }, (_, stdout) => {
      const lines = stdout.split('\n');
      resolve({
        files: lines.filter((line) => line.startsWith(project)),
        errors: lines.filter((line) => line.includes('error TS') && !line.startsWith('libs/')),
      });
    });
  });
}

// A program of its own for each, because a declaration that fills in the task types holds for a whole program.
describe('the types as an application sees them', () => {
  it.each([
    ['augmented', 'DelayedTasks, filled in by the application, decides about types and payloads'],
    ['plain', 'without DelayedTasks every type name is accepted and payloads are unknown'],
  ])(
    '%s: %s',
    async (folder) => {
      const { files, errors } = await compile(folder);
      expect(errors).toEqual([]);
      expect(files).toEqual([join(here, folder, 'application.mts')]);
    },
    180_000,
  );
});
