import swc from 'unplugin-swc';
import { defineConfig } from 'vitest/config';

// Vite's own compiler writes no metadata of decorators, by which Nest knows what to inject.
const jsc = {
  target: 'es2023',
  parser: { syntax: 'typescript', decorators: true },
  transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
};

export default defineConfig({
  plugins: [swc.vite({ swcrc: false, tsconfigFile: false, module: { type: 'es6' }, jsc })],
  test: { globals: true, include: ['test/**/*.spec.ts'], testTimeout: 60_000 },
});
