/** The compiler options of tsconfig.json, as far as they change what a test runs. */
const swcOptions = {
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

/** @type {import('jest').Config} */
const project = {
  rootDir: import.meta.dirname,
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  // `js` stands first so that `./x.js` inside an installed package, mapped to `./x` below, stays that file.
  moduleFileExtensions: ['js', 'mjs', 'cjs', 'ts', 'json', 'node'],
  moduleNameMapper: {
    '^nestjs-delay-queue$': '<rootDir>/libs/delay-queue/src/index.ts',
    '^nestjs-delay-queue/(testing|terminus|ledger|opentelemetry)$': '<rootDir>/libs/delay-queue/src/$1/index.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  modulePathIgnorePatterns: ['<rootDir>/libs/[^/]+/dist/', '<rootDir>/apps/[^/]+/dist/'],
  transform: { '\\.ts$': ['@swc/jest', swcOptions] },
};

/** @type {import('jest').Config} */
export default {
  // Two, because the smallest machine that runs the suite has two cores and the servers under test need their share.
  maxWorkers: 2,
  // A deadline against hanging, and no measure of anything: a busy machine may take long over a test. Jest reads it here
  // alone, and passes over one that stands in a project.
  testTimeout: 60_000,
  reporters: ['default', '<rootDir>/test/faults/table-reporter.mjs'],
  projects: [
    {
      ...project,
      displayName: 'unit',
      testMatch: ['<rootDir>/libs/*/src/**/*.spec.ts', '<rootDir>/apps/*/src/**/*.spec.ts'],
    },
    {
      ...project,
      displayName: 'integration',
      testMatch: ['<rootDir>/test/**/*.test.ts'],
      testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/(faults|ledger|package)/'],
    },
    {
      ...project,
      displayName: 'ledger',
      testMatch: ['<rootDir>/test/ledger/**/*.test.ts'],
    },
    {
      ...project,
      displayName: 'package',
      testMatch: ['<rootDir>/test/package/*.test.ts'],
    },
    {
      ...project,
      displayName: 'faults',
      testMatch: ['<rootDir>/test/faults/**/*.test.ts'],
    },
  ],
};
