import { describe, expect, it } from '@jest/globals';
import { QueueSettings } from '../options/queue-settings.js';
import type { LedgerBackend, LedgerOpenOptions, TaskLedger } from '../ports/task-ledger.js';
import type { ModuleLedgerOptions } from './module-ledger-options.js';
import { resolveLedger } from './resolve-ledger.js';

const settings = new QueueSettings({ prefix: 'shop', storeTimeout: '2s' });

class Backend implements LedgerBackend {
  opened: LedgerOpenOptions | null = null;
  migrations = 0;

  migrate(): Promise<void> {
    this.migrations++;
    return Promise.resolve();
  }

  open(options: LedgerOpenOptions): TaskLedger {
    this.opened = options;
    return {} as TaskLedger;
  }
}

describe('resolveLedger', () => {
  it('is null without the option', () => {
    expect(resolveLedger({ embedded: true }, settings)).toBeNull();
    expect(resolveLedger({ embedded: true, ledger: undefined }, settings)).toBeNull();
  });

  it('opens the ledger of the queue', () => {
    const backend = new Backend();
    const resolved = resolveLedger({ embedded: true, ledger: { backend, sweepEvery: '1m' } }, settings);
    expect(backend.opened).toEqual({ queue: 'shop', callTimeoutMs: 2_000, relayAfterMs: 5_000, sweepAfterMs: 60_000 });
    expect(resolved).toMatchObject({ migrate: null, options: { sweepEveryMs: 60_000 } });
  });

  it('migrates when it is asked to', async () => {
    const backend = new Backend();
    await resolveLedger({ embedded: true, ledger: { backend, migrate: true } }, settings)?.migrate?.();
    expect(backend.migrations).toBe(1);
  });

  it.each([
    [null, 'ledger'],
    ['postgres://host', 'ledger'],
    [{}, 'ledger.backend'],
    [{ backend: { query: () => undefined } }, 'ledger.backend'],
    [{ backend: new Backend(), migrate: 'yes' }, 'ledger.migrate'],
    [{ backend: new Backend(), every: '5m' }, 'ledger.every'],
  ])('refuses %p by the name of %s', (ledger, field) => {
    const options = { embedded: true, ledger: ledger as unknown as ModuleLedgerOptions };
    expect(() => resolveLedger(options, settings)).toThrow(expect.objectContaining({ code: 'configuration', field }));
  });
});
