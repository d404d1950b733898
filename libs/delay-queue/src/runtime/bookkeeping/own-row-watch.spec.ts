import { beforeEach, describe, expect, it } from '@jest/globals';
import { VirtualClock } from '../../core/virtual-clock.js';
import { resolveLedgerOptions } from '../../options/ledger-options.js';
import type { LedgerRow, LedgerState } from '../../ports/task-ledger.js';
import type { BookkeepingContext } from './bookkeeping-context.js';
import { LedgerMonitor } from './ledger-monitor.js';
import { OwnRowWatch } from './own-row-watch.js';
import type { Placement, RowIndexer } from './row-indexer.js';

const NOWHERE = { log: () => undefined, warn: () => undefined, error: () => undefined };

describe('OwnRowWatch', () => {
  let clock: VirtualClock;
  let committed: Map<string, LedgerState>;
  let versions: Map<string, number>;
  /** When the ledger was asked, and for what. */
  let looks: [number, readonly string[]][];
  let placed: string[];
  let removed: string[];
  let placement: Placement;
  let isAway: boolean;
  let watch: OwnRowWatch;

  beforeEach(() => {
    clock = new VirtualClock();
    const startMs = clock.monotonicMs();
    committed = new Map();
    versions = new Map();
    looks = [];
    placed = [];
    removed = [];
    placement = 'created';
    isAway = false;
    const read = (rows: readonly string[]): Promise<readonly LedgerRow[]> => {
      looks.push([clock.monotonicMs() - startMs, [...rows]]);
      if (isAway) return Promise.reject(new Error('away'));
      return Promise.resolve(
        rows.flatMap((row) => {
          const state = committed.get(row);
          return state === undefined
            ? []
            : [{ row, state, pending: true, version: versions.get(row) ?? 0 } as LedgerRow];
        }),
      );
    };
    const context = {
      ledger: { read },
      options: resolveLedgerOptions({}),
      monitor: new LedgerMonitor(clock, { notify: () => undefined }, NOWHERE),
      clock,
    } as unknown as BookkeepingContext;
    const indexer: Pick<RowIndexer, 'place' | 'remove'> = {
      place: (rows) => {
        placed.push(...rows.map(({ row }) => row));
        return Promise.resolve(new Map(rows.map(({ row }) => [row, placement])));
      },
      remove: (rows) => {
        removed.push(...rows.map(({ row }) => row));
        return Promise.resolve();
      },
    };
    watch = new OwnRowWatch(context, indexer as RowIndexer);
  });

  it('looks at 25, 50, 100 ms … for a transaction that stays open, and leaves it to the relay after 5 s', async () => {
    watch.add('a');
    await clock.advanceMs(60_000);
    expect(looks.map(([atMs]) => atMs)).toEqual([25, 50, 100, 200, 400, 800, 1_600, 3_200]);
    expect([watch.size, placed]).toEqual([0, []]);
  });

  it('places a row when it is seen, and looks no more', async () => {
    watch.add('a');
    await clock.advanceMs(60);
    committed.set('a', 'staged');
    await clock.advanceMs(60_000);
    expect(looks.map(([atMs]) => atMs)).toEqual([25, 50, 100]);
    expect(placed).toEqual(['a']);
  });

  it('asks for all rows with one query', async () => {
    for (const row of ['a', 'b', 'c']) watch.add(row);
    await clock.advanceMs(25);
    expect(looks).toEqual([[25, ['a', 'b', 'c']]]);
  });

  it('removes what was cancelled, and forgets what is over', async () => {
    committed.set('a', 'cancelled').set('b', 'done');
    watch.add('a');
    watch.add('b');
    await clock.advanceMs(30);
    expect([removed, placed, watch.size]).toEqual([['a'], [], 0]);
  });

  it('comes back to what could not be placed yet', async () => {
    placement = 'waits';
    committed.set('a', 'staged');
    watch.add('a');
    await clock.advanceMs(60);
    expect(placed).toEqual(['a', 'a']);
    placement = 'created';
    await clock.advanceMs(60);
    expect([placed.length, watch.size]).toEqual([3, 0]);
  });

  it('goes on after an outage of the database', async () => {
    isAway = true;
    committed.set('a', 'staged');
    watch.add('a');
    await clock.advanceMs(60);
    isAway = false;
    await clock.advanceMs(60);
    expect(placed).toEqual(['a']);
  });

  it('looks at once when it is told to, and says what it saw', async () => {
    watch.add('a');
    expect(await watch.lookAt('a')).toBeNull();
    committed.set('a', 'staged');
    expect(await watch.lookAt('a')).toBe('created');
    committed.set('a', 'indexed');
    expect(await watch.lookAt('a')).toBe('present');
    committed.set('a', 'done');
    expect(await watch.lookAt('a')).toBe('ended');
    expect(watch.size).toBe(0);
  });

  it('watches a changed row until the change is seen', async () => {
    committed.set('a', 'indexed').set('b', 'staged');
    watch.add('a', 1);
    watch.add('b', 1);
    await clock.advanceMs(60);
    expect([watch.size, removed]).toEqual([2, []]);
    committed.set('a', 'cancelled');
    versions.set('a', 1).set('b', 1);
    await clock.advanceMs(60);
    expect([watch.size, removed]).toEqual([0, ['a']]);
  });

  it('keeps watching a row that was changed while it was looked at', async () => {
    committed.set('a', 'staged');
    watch.add('a');
    const looking = watch.lookAt('a');
    watch.add('a', 1);
    expect(await looking).toBe('created');
    expect(watch.size).toBe(1);
  });

  it('does not place a row twice at once', async () => {
    committed.set('a', 'staged');
    watch.add('a');
    expect(await Promise.all([watch.lookAt('a'), watch.lookAt('a')])).toEqual(['created', 'created']);
    expect(placed).toEqual(['a']);
  });

  it('looks once more when it is closed', async () => {
    watch.add('a');
    committed.set('a', 'staged');
    await watch.close();
    await clock.advanceMs(60_000);
    expect([placed, looks.length]).toEqual([['a'], 1]);
  });
});
