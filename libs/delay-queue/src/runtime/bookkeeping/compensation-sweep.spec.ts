import { beforeEach, describe, expect, it } from '@jest/globals';
import { VirtualClock } from '../../core/virtual-clock.js';
import { resolveLedgerOptions } from '../../options/ledger-options.js';
import type { LedgerRow } from '../../ports/task-ledger.js';
import type { BookkeepingContext } from './bookkeeping-context.js';
import { CompensationSweep } from './compensation-sweep.js';
import { LedgerMonitor } from './ledger-monitor.js';
import type { Placement, RowIndexer } from './row-indexer.js';

const NOWHERE = { log: () => undefined, warn: () => undefined, error: () => undefined };

describe('CompensationSweep', () => {
  let overdue: number;
  let ended: number;
  let sweep: CompensationSweep;

  beforeEach(() => {
    overdue = 0;
    ended = 0;
    const clock = new VirtualClock();
    const context = {
      ledger: {
        take: (_: string, { limit }: { limit: number }) => {
          const taken = Math.min(limit, overdue);
          overdue -= taken;
          return Promise.resolve(Array.from({ length: taken }, (__, n) => ({ row: `${overdue}.${n}` }) as LedgerRow));
        },
        deleteEnded: (_: unknown, limit: number) => {
          const deleted = Math.min(limit, ended);
          ended -= deleted;
          return Promise.resolve(deleted);
        },
      },
      options: resolveLedgerOptions({}),
      settings: { queue: { storeTimeoutMs: 5_000 } },
      monitor: new LedgerMonitor(clock, { notify: () => undefined }, NOWHERE),
      logger: NOWHERE,
    } as unknown as BookkeepingContext;
    const place = (rows: readonly LedgerRow[]) =>
      Promise.resolve(new Map(rows.map(({ row }) => [row, 'created' as Placement])));
    sweep = new CompensationSweep(context, { place } as unknown as RowIndexer);
  });

  it('goes through everything when it is little', async () => {
    overdue = 450;
    ended = 1_200;
    expect(await sweep.pass()).toEqual({ restored: 450, isCut: false });
    expect([overdue, ended]).toEqual([0, 0]);
  });

  it('leaves what is more to the next pass, and says so', async () => {
    overdue = 4_100;
    expect(await sweep.pass()).toEqual({ restored: 4_000, isCut: true });
    expect(await sweep.pass()).toEqual({ restored: 100, isCut: false });
    ended = 50_100;
    expect(await sweep.pass()).toEqual({ restored: 0, isCut: true });
    expect(await sweep.pass()).toEqual({ restored: 0, isCut: false });
    expect(ended).toBe(0);
  });
});
