/** Builds the API reference of what the package exports, and nothing else: `npm run docs`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const library = join(import.meta.dirname, 'libs/delay-queue');
const { exports } = JSON.parse(readFileSync(join(library, 'package.json'), 'utf8'));

/** The source behind each entry point of the package. */
const entryPoints = Object.values(exports).flatMap(({ types }) =>
  types === undefined ? [] : [join(library, types.replace('./dist/', './src/').replace(/\.d\.ts$/, '.ts'))],
);

/** @type {Partial<import('typedoc').TypeDocOptions>} */
export default {
  name: 'nestjs-delay-queue',
  entryPoints,
  tsconfig: join(import.meta.dirname, 'tsconfig.json'),
  out: join(import.meta.dirname, 'docs/api'),
  readme: 'README.md',
  // It is checked by `npm run types`, with the tests.
  skipErrorChecking: true,
  excludePrivate: true,
  excludeInternal: true,
  // Parts of a type, shown where it is used; and the ports of the stores, which users need not know.
  intentionallyNotExported: [
    'AcceptedPayload',
    'ChangedRow',
    'DelayQueueRuntime',
    'DeliveryEventBase',
    'DueTime',
    'IdempotencyStore',
    'IndexedRow',
    'LedgerEpoch',
    'LedgerRetention',
    'LedgerRow',
    'ListRequest',
    'MutateOptions',
    'Mutation',
    'MutationAnswer',
    'NewLedgerTask',
    'Overridable',
    'PartitionRef',
    'PartitionSignal',
    'PartitionStats',
    'PeekReply',
    'PeekRequest',
    'PostponedRow',
    'QueueLifecycle',
    'QueueWatch',
    'RunningHandler',
    'StageResult',
    'TakeRequest',
    'TakeableState',
    'TaskEventBase',
    'TaskKey',
    'TaskRecord',
    'TaskStore',
    'TestTasksParts',
    'TrimLimits',
    'TurnReply',
    'TurnRequest',
    'TypeMeta',
    'Wakeup',
  ],
  treatWarningsAsErrors: true,
  treatValidationWarningsAsErrors: true,
  disableSources: true,
};
