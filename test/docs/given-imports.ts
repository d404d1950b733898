import { join } from 'node:path';

/** By its whole path, since snippets stand in several folders. */
const PRELUDE = join(import.meta.dirname, 'prelude.mjs');

/**
 * What a snippet that imports nothing is given, as far as it uses it. A snippet that imports something is complete, and
 * must import everything.
 */
const GIVEN: Readonly<Record<string, readonly string[]>> = {
  'nestjs-delay-queue': [
    'DELAYED_TASK',
    'DelayQueueAdmin',
    'DelayQueueEvents',
    'DelayedTaskRequest',
    'DelayQueueContext',
    'DelayQueueModule',
    'DelayQueueProducer',
    'DelayQueueRunner',
    'getDelayQueueToken',
    'Idempotent',
    'IdempotencyService',
    'InjectDelayQueue',
    'isDelayQueueContext',
    'OnDelayedTask',
    'TaskContext',
    'TaskOutcome',
    'TaskPayload',
    'type DelayedTask',
  ],
  '@nestjs/common': [
    'Catch',
    'ForbiddenException',
    'Inject',
    'Injectable',
    'Module',
    'Scope',
    'UseFilters',
    'UseGuards',
    'UseInterceptors',
    'UsePipes',
    'ValidationPipe',
    'type ArgumentsHost',
    'type CanActivate',
    'type ExceptionFilter',
    'type ExecutionContext',
  ],
  [PRELUDE]: ['type Request'],
  '@nestjs/core': ['ContextIdFactory', 'type ContextId', 'type ContextIdStrategy', 'NestFactory'],
};

/** The imports for a snippet, in one line; empty when it has some of its own. */
export function givenImports(text: string): string {
  if (/^import /m.test(text)) return '';
  return Object.entries(GIVEN)
    .map(([module, names]) => ({ module, used: names.filter((name) => isUsed(name, text)) }))
    .filter(({ used }) => used.length > 0)
    .map(({ module, used }) => `import { ${used.join(', ')} } from '${module}'; `)
    .join('');
}

function isUsed(name: string, text: string): boolean {
  return new RegExp(`\\b${name.replace('type ', '')}\\b`).test(text);
}
