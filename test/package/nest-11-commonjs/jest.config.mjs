const swcOptions = {
  swcrc: false,
  module: { type: 'commonjs' },
  jsc: {
    target: 'es2023',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
  },
};

export default {
  testEnvironment: 'node',
  testTimeout: 60_000,
  // ES modules of a package are compiled for jest, which cannot require() them.
  transformIgnorePatterns: ['/node_modules/(?!(nestjs-delay-queue|nanoid)/)'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  moduleFileExtensions: ['js', 'mjs', 'cjs', 'ts', 'json', 'node'],
  transform: { '\\.[jt]s$': ['@swc/jest', swcOptions] },
};
