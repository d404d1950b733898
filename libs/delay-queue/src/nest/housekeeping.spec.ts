import { describe, expect, it } from '@jest/globals';
import { VirtualClock } from '../core/virtual-clock.js';
import { StoreUnavailableError } from '../core/errors.js';
import { MemoryTaskStore } from '../memory/memory-task-store.js';
import { QueueSettings } from '../options/queue-settings.js';
import { DelayQueueRuntime } from '../runtime/delay-queue-runtime.js';
import { DeadLetterTrimmer } from './dead-letter-trimmer.js';
import { Housekeeping } from './housekeeping.js';
import type { IntervalRegistryFinder } from './interval-registry.js';

const MINUTE_MS = 60_000;

/** Counts trims, answers as many of them as wished with a full trim, and fails on demand. */
class TrimmedStore extends MemoryTaskStore {
  readonly trimmed: string[] = [];
  fullTrims = 0;
  failure: Error | null = null;

  override async trim(...[{ type, partition }]: Parameters<MemoryTaskStore['trim']>): Promise<number> {
    if (this.failure !== null) throw this.failure;
    this.trimmed.push(`${type}:${partition}`);
    return this.fullTrims-- > 0 ? 100 : 3;
  }
}

function setUp() {
  const clock = new VirtualClock();
  const store = new TrimmedStore({ clock });
  const warnings: string[] = [];
  const logger = { log: () => undefined, warn: (line: string) => warnings.push(line), error: () => undefined };
  const settings = new QueueSettings({ types: { b: { partitions: 2 } } });
  const runtime = new DelayQueueRuntime({ store, settings, clock, logger, observers: [] });
  const noRegistry = { find: () => undefined } as unknown as IntervalRegistryFinder;
  const housekeeping = new Housekeeping(
    new DeadLetterTrimmer(runtime, settings, logger),
    noRegistry,
    clock,
    MINUTE_MS,
    'default',
  );
  return { clock, store, warnings, housekeeping };
}

describe('Housekeeping without a SchedulerRegistry', () => {
  it('trims every partition of the types once a minute, until it is stopped', async () => {
    const { clock, store, housekeeping } = setUp();
    housekeeping.start(['a', 'b']);
    await clock.advanceMs(MINUTE_MS - 1);
    expect(store.trimmed).toEqual([]);
    await clock.advanceMs(1);
    expect(store.trimmed).toEqual(['a:0', 'b:0', 'b:1']);
    await clock.advanceMs(2 * MINUTE_MS);
    expect(store.trimmed).toHaveLength(9);
    housekeeping.stop();
    expect(clock.pendingTimers).toBe(0);
    await clock.advanceMs(2 * MINUTE_MS);
    expect(store.trimmed).toHaveLength(9);
  });

  it('goes on while a trim was full, and leaves a long backlog to later passes', async () => {
    const { clock, store, housekeeping } = setUp();
    housekeeping.start(['a']);
    store.fullTrims = 7;
    await clock.advanceMs(MINUTE_MS);
    expect(store.trimmed).toHaveLength(8);
    store.fullTrims = 150;
    await clock.advanceMs(MINUTE_MS);
    expect(store.trimmed).toHaveLength(108);
    await clock.advanceMs(MINUTE_MS);
    expect(store.trimmed).toHaveLength(8 + 151);
    housekeeping.stop();
  });

  it('has nothing to do in a process without handlers', () => {
    const { clock, housekeeping } = setUp();
    housekeeping.start([]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('warns once for each time that trimming begins to fail, and tries again', async () => {
    const { clock, store, warnings, housekeeping } = setUp();
    housekeeping.start(['a']);
    store.failure = new StoreUnavailableError('unknown', 'no answer');
    await clock.advanceMs(3 * MINUTE_MS);
    expect(warnings).toEqual([expect.stringContaining('no answer')]);
    store.failure = null;
    await clock.advanceMs(MINUTE_MS);
    expect(store.trimmed).toEqual(['a:0']);
    store.failure = new StoreUnavailableError('unknown', 'away again');
    await clock.advanceMs(MINUTE_MS);
    expect(warnings).toHaveLength(2);
    housekeeping.stop();
  });
});
