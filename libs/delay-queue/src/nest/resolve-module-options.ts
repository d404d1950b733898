import { ConfigurationError } from '../core/errors.js';
import { QueueSettings } from '../options/queue-settings.js';
import type { TaskTracer } from '../ports/task-tracer.js';
import type { DelayQueueModuleOptions } from './delay-queue-module-options.js';

/** The options of the module but for where the tasks are kept, checked once for `forRoot` and `forRootAsync` alike. */
export interface ResolvedModuleOptions {
  readonly settings: QueueSettings;
  /** Handlers are run in this process. */
  readonly consume: boolean;
  /** They start with the application. */
  readonly autoStart: boolean;
  /** Null in a queue that is not traced. */
  readonly tracer: TaskTracer | null;
}

/**
 * Checks the options of the module; leaves the caller's object as it is.
 *
 * @throws ConfigurationError naming the option.
 */
export function resolveModuleOptions(options: DelayQueueModuleOptions): ResolvedModuleOptions {
  if (typeof options !== 'object' || options === null) {
    throw new ConfigurationError('options', `must be an object, got ${options === null ? 'null' : typeof options}`);
  }
  if (Object.hasOwn(options, 'name')) {
    throw new ConfigurationError(
      'name',
      'must stand beside `useFactory`: injection needs it before the options are made',
    );
  }
  const {
    connection: _connection,
    embedded: _embedded,
    ledger: _ledger,
    consume,
    autoStart,
    tracing,
    ...queueOptions
  } = options;
  return {
    settings: new QueueSettings(queueOptions),
    consume: readSwitch(consume, 'consume'),
    autoStart: readSwitch(autoStart, 'autoStart'),
    tracer: readTracer(tracing),
  };
}

function readTracer(value: unknown): TaskTracer | null {
  if (value === undefined) return null;
  if (isTracer(value)) return value;
  throw new ConfigurationError('tracing', 'must be a tracer, such as `new OpenTelemetryTracer()`');
}

function isTracer(value: unknown): value is TaskTracer {
  const candidate = value as Partial<Record<keyof TaskTracer, unknown>> | null;
  return typeof candidate?.scheduling === 'function' && typeof candidate.running === 'function';
}

/** On, unless it is turned off. */
function readSwitch(value: unknown, field: string): boolean {
  if (value === undefined) return true;
  if (typeof value !== 'boolean') throw new ConfigurationError(field, `must be true or false, got ${typeof value}`);
  return value;
}
