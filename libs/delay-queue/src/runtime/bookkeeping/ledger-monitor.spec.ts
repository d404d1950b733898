import { beforeEach, describe, expect, it } from '@jest/globals';
import { LedgerUnavailableError, StoreUnavailableError } from '../../core/errors.js';
import { VirtualClock } from '../../core/virtual-clock.js';
import type { QueueEvent } from '../../ports/queue-event.js';
import { QUIET_MS } from '../outage-episode.js';
import { LedgerMonitor } from './ledger-monitor.js';

describe('LedgerMonitor', () => {
  const clock = new VirtualClock();
  const failing = (): Promise<never> => Promise.reject(new LedgerUnavailableError('away'));
  let events: QueueEvent[];
  let lines: string[];
  let monitor: LedgerMonitor;

  beforeEach(() => {
    events = [];
    lines = [];
    const write = (message: string): void => void lines.push(message);
    monitor = new LedgerMonitor(
      clock,
      { notify: (event) => void events.push(event) },
      { log: write, warn: write, error: write },
    );
  });

  it('tells of an outage once, and once that it is over', async () => {
    for (let call = 0; call < 3; call++) expect(await monitor.attempt(failing)).toBeUndefined();
    await clock.advanceMs(1_500);
    expect(await monitor.attempt(() => Promise.resolve(7))).toBe(7);
    await monitor.attempt(() => Promise.resolve(8));
    await clock.advanceMs(QUIET_MS);
    expect(events.map(({ kind }) => kind)).toEqual(['ledger down', 'ledger up']);
    expect(events[1]).toMatchObject({ downForMs: 1_500 });
    expect(lines).toHaveLength(2);
  });

  it('is not deceived by a database that answers reads and refuses writes', async () => {
    for (let call = 0; call < 50; call++) {
      await monitor.attempt(failing);
      await monitor.attempt(() => Promise.resolve(7));
      await clock.advanceMs(QUIET_MS / 2);
    }
    expect(events.map(({ kind }) => kind)).toEqual(['ledger down']);
    monitor.close();
    expect(clock.pendingTimers).toBe(0);
  });

  it('leaves an outage of the store to the monitor of the store', async () => {
    await monitor.attempt(() => Promise.reject(new StoreUnavailableError('not_sent', 'away')));
    expect([events.length, lines.length]).toEqual([0, 0]);
  });
});
