import { ConfigurationError } from '../core/errors.js';
import { resolveLedgerOptions } from '../options/ledger-options.js';
import type { QueueSettings } from '../options/queue-settings.js';
import type { LedgerBackend } from '../ports/task-ledger.js';
import type { RuntimeLedger } from '../runtime/delay-queue-runtime.js';
import type { DelayQueueModuleOptions } from './delay-queue-module-options.js';

/**
 * Opens the ledger that the module's options ask for; null without one.
 *
 * @throws ConfigurationError naming the option.
 */
export function resolveLedger({ ledger }: DelayQueueModuleOptions, { queue }: QueueSettings): RuntimeLedger | null {
  if (ledger === undefined) return null;
  if (typeof ledger !== 'object' || (ledger as unknown) === null) {
    throw new ConfigurationError('ledger', 'must be an object with a `backend`');
  }
  const { backend, migrate = false, ...rest } = ledger;
  if (!isBackend(backend)) throw new ConfigurationError('ledger.backend', 'must be an SqlLedger');
  if (typeof migrate !== 'boolean') throw new ConfigurationError('ledger.migrate', 'must be true or false');
  const options = resolveLedgerOptions(rest);
  const tasks = backend.open({
    queue: queue.prefix,
    callTimeoutMs: queue.storeTimeoutMs,
    relayAfterMs: options.relayEveryMs,
    sweepAfterMs: options.sweepEveryMs,
  });
  return { tasks, options, migrate: migrate ? () => backend.migrate() : null };
}

function isBackend(value: unknown): value is LedgerBackend {
  const candidate = value as Partial<Record<keyof LedgerBackend, unknown>> | null | undefined;
  return typeof candidate?.open === 'function' && typeof candidate.migrate === 'function';
}
