import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { VirtualClock } from '../core/virtual-clock.js';
import type { TurnRequest } from '../ports/turn.js';
import { FaultyStore, LATE_BY_MS } from './faulty-store.spec-support.js';
import type { QueueOptions } from '../options/queue-options.js';
import { deferred, RuntimeHarness } from './runtime-harness.spec-support.js';
import { QUIET_MS } from './outage-episode.js';

const REF = { type: 't', partition: 0 };

describe('Lane', () => {
  let clock: VirtualClock;
  let store: FaultyStore;
  let open: RuntimeHarness[];

  const newProcess = (options: ConstructorParameters<typeof RuntimeHarness>[0] = {}): RuntimeHarness => {
    const harness = new RuntimeHarness({ clock, store, ...options });
    open.push(harness);
    return harness;
  };

  beforeEach(() => {
    clock = new VirtualClock();
    store = new FaultyStore(clock);
    open = [];
  });

  afterEach(async () => {
    store.fault = () => null;
    const closed = Promise.all(open.map(({ runtime }) => runtime.close()));
    await clock.advanceMs(30_000);
    await closed;
  });

  describe('when calls fail', () => {
    it('C01 works again by itself, and runs once what fell due meanwhile', async () => {
      const runs: string[] = [];
      const process = newProcess().handle('t', (task) => runs.push(task.id));
      await process.start();
      await process.schedule('t', 5_000, { id: 'a' });
      store.fault = () => 'not sent';
      await clock.advanceMs(15_000);
      expect(runs).toEqual([]);
      expect(process.runtime.health).toMatchObject({ status: 'down', sinceCompletedMs: 15_000 });
      store.fault = () => null;
      await clock.advanceMs(1_000);
      expect(runs).toEqual(['a']);
      expect(process.runtime.health.status).toBe('up');
      await clock.advanceMs(QUIET_MS);
      expect(process.eventsOf('store down')).toHaveLength(1);
      expect(process.eventsOf('store up')).toHaveLength(1);
      expect(process.lines.filter((line) => line.includes('Store calls fail'))).toHaveLength(1);
    });

    it('sends an outcome again until it is answered, and does not call the task lost when it had been applied', async () => {
      const process = newProcess().handle('t', () => undefined);
      await process.start();
      store.fault = (_, request) => (carriesSettle(request) ? 'answer lost' : null);
      await process.schedule('t', 0, { id: 'a' });
      await clock.advanceMs(100);
      store.fault = () => null;
      await clock.advanceMs(2_000);
      expect(await process.stateOf('t', 'a')).toBeNull();
      expect(process.eventsOf('settle unknown').map(({ id }) => id)).toEqual(['a']);
      expect(process.eventsOf('lease lost')).toEqual([]);
    });

    it('settles once the store is back when the outcome was never sent', async () => {
      const process = newProcess().handle('t', () => undefined);
      await process.start();
      store.fault = (_, request) => (carriesSettle(request) ? 'not sent' : null);
      await process.schedule('t', 0, { id: 'a' });
      await clock.advanceMs(10_000);
      expect(await process.stateOf('t', 'a')).toMatchObject({ state: 'running' });
      store.fault = () => null;
      await clock.advanceMs(1_000);
      expect(process.eventsOf('completed').map(({ id }) => id)).toEqual(['a']);
      expect(await process.stateOf('t', 'a')).toBeNull();
    });

    it('C53 runs the tasks of a claim whose answer came after its deadline', async () => {
      const runs: string[] = [];
      const process = newProcess().handle('t', (task) => runs.push(task.id));
      await process.start();
      store.fault = (_, request) => (request?.claim ? 'answer late' : null);
      await process.schedule('t', 0, { id: 'a' });
      await clock.advanceMs(1);
      expect(await process.stateOf('t', 'a')).toMatchObject({ state: 'running' });
      store.fault = () => null;
      await clock.advanceMs(LATE_BY_MS);
      expect(runs).toEqual(['a']);
      expect(await process.stateOf('t', 'a')).toBeNull();
    });

    it('C53 gives the tasks of a late claim back at once when there is no place for them', async () => {
      const work = deferred();
      const options: QueueOptions = { types: { t: { concurrency: 1 } } };
      const process = newProcess({ options }).handle('t', (task) => (task.id === 'b' ? work.promise : undefined));
      await process.start();
      store.fault = (_, request) => (request?.claim ? 'answer late' : null);
      await process.schedule('t', 0, { id: 'a' });
      await clock.advanceMs(1);
      store.fault = () => null;
      await process.schedule('t', 0, { id: 'b' });
      await clock.advanceMs(LATE_BY_MS);
      expect(await process.stateOf('t', 'a')).toMatchObject({ state: 'waiting', failures: 0, lostLeases: 0 });
      work.resolve();
      await clock.advanceMs(0);
      expect(await process.stateOf('t', 'a')).toBeNull();
    });

    it('C53 starts nothing of a claim that is answered when its lease is over', async () => {
      const runs: number[] = [];
      const options: QueueOptions = { types: { t: { lease: LATE_BY_MS } } };
      const process = newProcess({ options }).handle('t', (task) => runs.push(task.deliveries));
      await process.start();
      store.fault = (_, request) => (request?.claim ? 'answer late' : null);
      await process.schedule('t', 0, { id: 'a' });
      await clock.advanceMs(1);
      store.fault = () => 'not sent';
      await clock.advanceMs(LATE_BY_MS);
      store.fault = () => null;
      await clock.advanceMs(1_000);
      expect(runs).toEqual([2]);
    });

    it('C13 keeps owning a task whose renewal was applied although its answer was lost', async () => {
      const work = deferred();
      const process = newProcess({ options: { types: { t: { lease: '3s' } } } }).handle('t', () => work.promise);
      await process.start();
      await process.schedule('t', 0, { id: 'a' });
      await clock.advanceMs(0);
      store.fault = (_, request) => (request?.extensions.length ? 'answer lost' : null);
      await clock.advanceMs(2_000);
      store.fault = () => null;
      work.resolve();
      await clock.advanceMs(2_000);
      expect(process.eventsOf('completed')).toHaveLength(1);
      expect(process.eventsOf('lease lost')).toEqual([]);
    });

    it('tells each caller of a failed call with an error of its own whether it can have been applied', async () => {
      const process = newProcess();
      await process.start();
      store.fault = () => 'answer lost';
      const errors = await Promise.all(
        ['a', 'b'].map((id) => process.schedule('t', 1_000, { id }).catch((error: unknown) => error)),
      );
      expect(errors[0]).toMatchObject({ code: 'store_unavailable', outcome: 'unknown' });
      expect(errors[1]).toMatchObject({ code: 'store_unavailable', outcome: 'unknown' });
      expect(errors[0]).not.toBe(errors[1]);
      store.fault = () => null;
      expect(await process.schedule('t', 1_000, { id: 'a' })).toMatchObject({ status: 'duplicate', state: 'waiting' });
    });
  });

  describe('when a process stalls', () => {
    it('C11 refuses what a process says about a task that another has taken over and completed', async () => {
      const work = deferred();
      const signals: AbortSignal[] = [];
      const options: QueueOptions = { types: { t: { lease: '1s' } } };
      const stalled = newProcess({ options }).handle('t', (task) => {
        signals.push(task.signal);
        return work.promise;
      });
      await stalled.start();
      await stalled.schedule('t', 0, { id: 'a' });
      await clock.advanceMs(0);
      // The event loop of the first process hangs for three leases: nothing of it runs, so its renewals are not sent.
      store.fault = (_, request) => (request?.extensions.length ? 'not sent' : null);
      const other = newProcess({ options }).handle('t', () => undefined);
      await clock.advanceMs(3_000);
      await other.start();
      expect(other.eventsOf('completed').map(({ id, deliveries }) => [id, deliveries])).toEqual([['a', 2]]);
      store.fault = () => null;
      await clock.advanceMs(2_000);
      work.reject(new Error('too late'));
      await clock.advanceMs(2_000);
      expect(stalled.eventsOf('lease lost')).toHaveLength(1);
      expect(signals[0]?.aborted).toBe(true);
      expect(stalled.eventsOf('retried')).toEqual([]);
      expect(await stalled.stateOf('t', 'a')).toBeNull();
    });

    it('C12 lets a late holder complete a task that nobody took', async () => {
      const work = deferred();
      const process = newProcess({ options: { types: { t: { lease: '1s' } } } }).handle('t', () => work.promise);
      await process.start();
      await process.schedule('t', 0, { id: 'a' });
      await clock.advanceMs(0);
      clock.jumpMs(5_000);
      work.resolve();
      await clock.advanceMs(1);
      expect(process.eventsOf('completed')).toHaveLength(1);
      expect(process.eventsOf('started')).toHaveLength(1);
    });

    it('C52 renews the leases of its own running tasks before it claims', async () => {
      let runs = 0;
      const work = deferred();
      const process = newProcess({ options: { types: { t: { lease: '1s' } } } }).handle('t', () => {
        runs++;
        return work.promise;
      });
      await process.start();
      await process.schedule('t', 0, { id: 'a' });
      await clock.advanceMs(0);
      clock.jumpMs(3_000);
      await process.schedule('t', 0, { id: 'b' });
      await clock.advanceMs(1);
      expect(runs).toBe(2);
      expect(await process.stateOf('t', 'a')).toMatchObject({ state: 'running', deliveries: 1, lostLeases: 0 });
      work.resolve();
      await clock.advanceMs(0);
    });
  });

  describe('with mutations', () => {
    it('C51 keeps schedule and cancel of one task in the order of the calls', async () => {
      const process = newProcess();
      await process.start();
      const [scheduled, cancelled] = await Promise.all([
        process.schedule('t', 1_000, { id: 'x' }),
        process.runtime.submit('t', { kind: 'cancel', id: 'x' }),
      ]);
      expect([scheduled.status, cancelled.status]).toEqual(['created', 'cancelled']);
      expect(await process.stateOf('t', 'x')).toBeNull();
    });

    it('C24 either cancels a task or runs it, never both, when both happen at once', async () => {
      const runs = new Set<string>();
      const process = newProcess({ options: { types: { t: { concurrency: 100 } } } }).handle('t', (task) => {
        runs.add(task.id);
      });
      await process.start();
      for (let index = 0; index < 200; index++) await process.schedule('t', 1_000 + index, { id: `t${index}` });
      const cancelled = new Set<string>();
      for (let index = 0; index < 200; index++) {
        clock.jumpMs(index === 0 ? 1_000 : 1);
        const advanced = clock.advanceMs(0);
        const id = `t${index}`;
        const { status } = await process.runtime.submit('t', { kind: 'cancel', id });
        if (status === 'cancelled') cancelled.add(id);
        await advanced;
      }
      await clock.advanceMs(1_000);
      expect([...cancelled].filter((id) => runs.has(id))).toEqual([]);
      expect(cancelled.size + runs.size).toBe(200);
    });
  });

  describe('waking up, with signals that can get lost', () => {
    beforeEach(() => {
      store = new FaultyStore(clock, { reliableWakeups: false, armHoldMs: 5_000 });
    });

    it('looks at the store once in 2.5 s while it holds the arm, whatever waits', async () => {
      const process = newProcess().handle('t', () => undefined);
      await process.start();
      await process.schedule('t', 86_400_000);
      const turnsBefore = store.turns.length;
      await clock.advanceMs(25_000);
      expect(store.peeks).toBe(10);
      expect(store.turns.length - turnsBefore).toBeLessThanOrEqual(1);
    });

    it('lets one of several processes watch, and the others rest while they hear its beat', async () => {
      const processes = [1, 2, 3].map(() => newProcess().handle('t', () => undefined));
      for (const process of processes) await process.start();
      await clock.advanceMs(6_000);
      store.turns.length = 0;
      await clock.advanceMs(60_000);
      expect(store.turns).toEqual([]);
      await processes[0]?.schedule('t', 1_000);
      await clock.advanceMs(2_000);
      expect(store.turns.filter(({ claim }) => claim !== null).length).toBeLessThanOrEqual(3);
    });

    it('C09 finds what is due within a sweep when the watching process is silent', async () => {
      const silent = newProcess().handle('t', () => undefined);
      await silent.start();
      const other = newProcess().handle('t', () => undefined);
      await other.start();
      await clock.advanceMs(6_000);
      await other.schedule('t', 1_000, { id: 'a' });
      store.fault = (call, request) =>
        call === 'peek' || request?.holder === store.turns[0]?.holder ? 'not sent' : null;
      await clock.advanceMs(7_000);
      expect(other.eventsOf('completed').map(({ id }) => id)).toEqual(['a']);
    });

    it('learns that the store is back although it has no reason to call it', async () => {
      const watching = newProcess().handle('t', () => undefined);
      await watching.start();
      const resting = newProcess().handle('t', () => undefined);
      await resting.start();
      await clock.advanceMs(6_000);
      store.fault = () => 'not sent';
      await expect(resting.schedule('t', 0)).rejects.toMatchObject({ outcome: 'not_sent' });
      expect(resting.eventsOf('store down')).toHaveLength(1);
      store.fault = () => null;
      await clock.advanceMs(2_500 + QUIET_MS);
      expect(resting.eventsOf('store up')).toHaveLength(1);
      await clock.advanceMs(20_000);
      expect(resting.runtime.health.status).toBe('up');
    });

    it('wakes at the new time when a task is scheduled before the one it waits for', async () => {
      const startedAfter: number[] = [];
      const process = newProcess().handle('t', () => startedAfter.push(clock.monotonicMs()));
      await process.start();
      await process.schedule('t', 60_000);
      await process.schedule('t', 1_000);
      await clock.advanceMs(1_000);
      expect(startedAfter).toEqual([1_000]);
    });

    it('C54 runs a retry, a snoozed task, a task run now and a resumed one on time', async () => {
      const startedAfter: Record<string, number[]> = {};
      const options: QueueOptions = { types: { t: { backoff: { type: 'fixed', delay: '3s', jitter: 0 } } } };
      const process = newProcess({ options }).handle('t', (task) => {
        (startedAfter[task.id] ??= []).push(clock.monotonicMs());
        if (task.id === 'retried' && task.deliveries === 1) throw new Error('once');
      });
      await process.start();
      await process.schedule('t', 3_600_000, { id: 'far' });
      await process.schedule('t', 500, { id: 'retried' });
      await clock.advanceMs(3_500);
      expect(startedAfter['retried']).toEqual([500, 3_500]);
      await process.schedule('t', 3_600_000, { id: 'now' });
      await process.runtime.submit('t', { kind: 'runNow', id: 'now' });
      await clock.advanceMs(0);
      expect(startedAfter['now']).toEqual([3_500]);
      await store.setPaused(REF, true);
      await process.schedule('t', 0, { id: 'paused' });
      await clock.advanceMs(10_000);
      expect(startedAfter['paused']).toBeUndefined();
      await store.setPaused(REF, false);
      await clock.advanceMs(0);
      expect(startedAfter['paused']).toEqual([13_500]);
    });

    it('C55 neither spins nor storms when it is full and much is overdue', async () => {
      const work = deferred();
      const options: QueueOptions = { types: { t: { concurrency: 1 } } };
      const process = newProcess({ options }).handle('t', () => work.promise);
      await process.start();
      for (let index = 0; index < 1_000; index++) void process.schedule('t', 0, { id: `t${index}` });
      await clock.advanceMs(100);
      store.turns.length = 0;
      await clock.advanceMs(60_000);
      // Renewals of the one lease, and nothing else.
      expect(store.turns.length).toBeLessThanOrEqual(7);
      work.resolve();
      await clock.advanceMs(100);
      expect(process.eventsOf('completed')).toHaveLength(1_000);
    });

    it('begins a new epoch when the keys have vanished, and says so', async () => {
      const process = newProcess().handle('t', () => undefined);
      await process.start();
      const fresh = new FaultyStore(clock);
      store.peek = (request) => fresh.peek(request);
      await clock.advanceMs(2_500);
      expect(process.eventsOf('partition lost').map(({ how }) => how)).toEqual(['absent']);
    });
  });
});

function carriesSettle(request: TurnRequest | undefined): boolean {
  return (request?.settles.length ?? 0) > 0;
}
