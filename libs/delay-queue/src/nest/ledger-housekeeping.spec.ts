import { describe, expect, it } from '@jest/globals';
import { VirtualClock } from '../core/virtual-clock.js';
import { resolveLedgerOptions } from '../options/ledger-options.js';
import type { DelayQueueRuntime, RuntimeLedger } from '../runtime/delay-queue-runtime.js';
import type { IntervalRegistryFinder } from './interval-registry.js';
import { LedgerHousekeeping } from './ledger-housekeeping.js';

const MINUTE_MS = 60_000;

function setUp() {
  const clock = new VirtualClock();
  const parts = { sweeps: 0, cutSweeps: 0, duringSweep: (): void => undefined };
  const sweep = () => {
    parts.sweeps++;
    parts.duringSweep();
    return Promise.resolve({ restored: 0, isCut: parts.cutSweeps-- > 0 });
  };
  const runtime = { books: { sweep } } as unknown as DelayQueueRuntime;
  const noRegistry = { find: () => undefined } as unknown as IntervalRegistryFinder;
  const ledger = { options: resolveLedgerOptions({}) } as RuntimeLedger;
  return { clock, parts, housekeeping: new LedgerHousekeeping('default', runtime, noRegistry, clock, ledger) };
}

describe('LedgerHousekeeping', () => {
  it('sweeps soon after the boot, and then every five minutes or somewhat later, until it is stopped', async () => {
    const { clock, parts, housekeeping } = setUp();
    housekeeping.start();
    await clock.advanceMs(MINUTE_MS);
    expect(parts.sweeps).toBe(1);
    await clock.advanceMs(10 * MINUTE_MS);
    expect(parts.sweeps).toBe(3);
    housekeeping.stop();
    expect(clock.pendingTimers).toBe(0);
  });

  it('goes on after ten seconds when a pass has left something', async () => {
    const { clock, parts, housekeeping } = setUp();
    parts.cutSweeps = 3;
    housekeeping.start();
    await clock.advanceMs(2 * MINUTE_MS);
    expect(parts.sweeps).toBe(4);
    housekeeping.stop();
  });

  it('begins nothing after the stop, also from a pass that was under way', async () => {
    const { clock, parts, housekeeping } = setUp();
    parts.cutSweeps = 1;
    parts.duringSweep = () => housekeeping.stop();
    housekeeping.start();
    await clock.advanceMs(MINUTE_MS);
    expect([parts.sweeps, clock.pendingTimers]).toEqual([1, 0]);
  });
});
