/** Copies the documents of the repository into the package before npm packs it: `node scripts/prepack.mjs <package folder>`. */
import { copyFileSync, existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = join(import.meta.dirname, '..');
const packageFolder = resolve(process.argv[2] ?? '.');

for (const name of ['LICENSE', 'README.md', 'README.zh-CN.md', 'CHANGELOG.md']) {
  if (existsSync(join(root, name))) copyFileSync(join(root, name), join(packageFolder, name));
}
