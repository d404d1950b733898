import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { VirtualClock } from '../core/virtual-clock.js';
import { MemoryTaskStore } from '../memory/memory-task-store.js';
import type { TurnReply, TurnRequest } from '../ports/turn.js';
import { deferred, RuntimeHarness } from './runtime-harness.spec-support.js';

/** A store whose answers to claims can be held back. */
class HeldStore extends MemoryTaskStore {
  held: Promise<void> | null = null;

  override async turn(request: TurnRequest): Promise<TurnReply> {
    const reply = await super.turn(request);
    if (reply.claimed.length > 0) await this.held;
    return reply;
  }
}

describe('a suspended type', () => {
  let clock: VirtualClock;
  let store: HeldStore;
  let open: RuntimeHarness[];
  let runs: string[];

  const newProcess = (name: string): RuntimeHarness => {
    const harness = new RuntimeHarness({ clock, store, options: { types: { t: { partitions: 2 } } } });
    harness.handle('t', (task) => runs.push(`${name} ${task.id}`));
    open.push(harness);
    return harness;
  };

  beforeEach(() => {
    clock = new VirtualClock();
    store = new HeldStore({ clock });
    open = [];
    runs = [];
  });

  afterEach(async () => {
    const closed = Promise.all(open.map(({ runtime }) => runtime.close()));
    await clock.advanceMs(30_000);
    await closed;
  });

  it('is left to the other processes, which then watch its due times', async () => {
    const [first, second] = [newProcess('first'), newProcess('second')];
    await first.start();
    await first.schedule('t', 60_000, { id: 'a' });
    await second.start();
    first.runtime.suspend('t');
    await clock.advanceMs(59_999);
    expect(runs).toEqual([]);
    await clock.advanceMs(1);
    expect(runs).toEqual(['second a']);
  });

  it('waits while every process has suspended it, and runs at once when one goes on', async () => {
    const only = newProcess('only');
    await only.start();
    only.runtime.suspend('t');
    only.runtime.suspend('t');
    await only.schedule('t', 10_000, { id: 'a' });
    await clock.advanceMs(60_000);
    expect(runs).toEqual([]);
    only.runtime.resume('t');
    await clock.advanceMs(0);
    expect(runs).toEqual(['only a']);
    await only.schedule('t', 10_000, { id: 'b' });
    await clock.advanceMs(10_000);
    expect(runs).toEqual(['only a', 'only b']);
  });

  it('may be suspended before the start, and resumed before it as well', async () => {
    const [first, second] = [newProcess('first'), newProcess('second')];
    for (const { runtime } of [first, second]) runtime.suspend('t');
    second.runtime.resume('t');
    await first.start();
    await first.schedule('t', 0, { id: 'a' });
    await clock.advanceMs(10_000);
    expect(runs).toEqual([]);
    expect(first.runtime.suspended).toEqual(['t']);
    await second.start();
    expect(runs).toEqual(['second a']);
  });

  it('runs what a claim brings that was under way, and nothing after it', async () => {
    const only = newProcess('only');
    await only.start();
    const answer = deferred();
    store.held = answer.promise;
    await only.schedule('t', 1_000, { id: 'a' });
    await clock.advanceMs(1_000);
    expect(await only.stateOf('t', 'a')).toMatchObject({ state: 'running' });
    only.runtime.suspend('t');
    answer.resolve();
    await clock.advanceMs(0);
    expect(runs).toEqual(['only a']);
    await only.schedule('t', 0, { id: 'b' });
    await clock.advanceMs(10_000);
    expect(runs).toEqual(['only a']);
  });

  it('gives back what is claimed ahead and has not been started', async () => {
    let started = 0;
    const only = newProcess('only');
    only.handle('fast', () => {
      if (++started === 100) only.runtime.suspend('fast');
      // Slow enough for tasks to wait, fast enough for them to be claimed ahead.
      return new Promise<void>((resolve) => clock.setTimer(resolve, 3));
    });
    await Promise.all(Array.from({ length: 400 }, () => only.schedule('fast', 0)));
    await only.start();
    await clock.advanceMs(1_000);
    expect(only.eventsOf('released').length).toBeGreaterThan(0);
    expect(started).toBeLessThan(100 + 20);
    const ref = { type: 'fast', partition: 0 };
    expect(await store.stats(ref)).toMatchObject({ running: 0, waiting: 400 - started });
    only.runtime.resume('fast');
    await clock.advanceMs(1_000);
    expect(await store.stats(ref)).toMatchObject({ running: 0, waiting: 0 });
  });

  it('has all its places again when a handler has suspended it while others of its claim were to be started', async () => {
    let started = 0;
    const only = newProcess('only');
    only.handle('sync', () => {
      if (++started === 1) only.runtime.suspend('sync');
      return new Promise<void>((resolve) => clock.setTimer(resolve, 1_000));
    });
    await Promise.all(Array.from({ length: 10 }, () => only.schedule('sync', 0)));
    await only.start();
    expect(started).toBe(1);
    await clock.advanceMs(1_000);
    only.runtime.resume('sync');
    await clock.advanceMs(0);
    expect(only.runtime.health.running).toBe(9);
  });

  it('does not keep a stop waiting', async () => {
    const only = newProcess('only');
    await only.start();
    only.runtime.suspend('t');
    await only.runtime.close();
    expect(clock.pendingTimers).toBe(0);
  });
});
