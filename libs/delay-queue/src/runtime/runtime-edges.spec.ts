import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { NEVER, type Observable } from 'rxjs';
import type { Clock } from '../core/clock.js';
import { StoreUnavailableError } from '../core/errors.js';
import { newLife } from '../core/ids.js';
import { partitionOf } from '../core/partition.js';
import { VirtualClock } from '../core/virtual-clock.js';
import { MemoryTaskStore } from '../memory/memory-task-store.js';
import { QueueSettings } from '../options/queue-settings.js';
import type { PeekReply, PeekRequest, TurnReply, TurnRequest } from '../ports/turn.js';
import type { Wakeup } from '../ports/wakeup.js';
import { encodeEnvelope } from '../task/envelope.js';
import { TaskOutcome } from '../task/task-outcome.js';
import { DelayQueueRuntime } from './delay-queue-runtime.js';
import { FaultyStore } from './faulty-store.spec-support.js';
import { RetryPause } from './retry-pause.js';
import { deferred, RuntimeHarness } from './runtime-harness.spec-support.js';

const idsOfPartition = (partition: number, count: number): string[] => {
  const ids = Array.from({ length: 1_000 }, (_, index) => `t${index}`);
  return ids.filter((id) => partitionOf(id, 2) === partition).slice(0, count);
};

describe('the runtime at its edges', () => {
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
    store = new FaultyStore(clock, { reliableWakeups: false, armHoldMs: 5_000 });
    open = [];
  });

  afterEach(async () => {
    store.fault = () => null;
    const closed = Promise.all(open.map(({ runtime }) => runtime.close()));
    await clock.advanceMs(60_000);
    await closed;
  });

  it('a lane whose siblings take every place gives its arm away, so that an idle process can run its tasks', async () => {
    const options = { types: { t: { partitions: 2, concurrency: 1 } } };
    const work = deferred();
    const busy = newProcess({ options }).handle('t', () => work.promise);
    await busy.start();
    await clock.advanceMs(1_000);
    const idle = newProcess({ options }).handle('t', () => undefined);
    await idle.start();
    await clock.advanceMs(6_000);
    const [first = ''] = idsOfPartition(0, 1);
    const [second = ''] = idsOfPartition(1, 1);
    await busy.schedule('t', 0, { id: first });
    await clock.advanceMs(100);
    await busy.schedule('t', 1_000, { id: second });
    await clock.advanceMs(10_000);
    expect(idle.eventsOf('completed').map(({ id }) => id)).toEqual([second]);
    work.resolve();
  });

  it('lanes of one type take turns for a place that becomes free', async () => {
    const order: number[] = [];
    const options = { types: { t: { partitions: 2, concurrency: 1 } } };
    const process = newProcess({ options }).handle('t', (task) => {
      order.push(partitionOf(task.id, 2));
      return new Promise<void>((resolve) => clock.setTimer(resolve, 10));
    });
    const ids = [0, 1].flatMap((partition) => idsOfPartition(partition, 5));
    await Promise.all(ids.map((id) => process.schedule('t', 1_000, { id })));
    await process.start();
    await clock.advanceMs(2_000);
    expect(order).toHaveLength(10);
    // Two in a row before the other has looked for the first time, and when it has no tasks left; never three.
    expect(order.join('')).not.toMatch(/000|111/);
  });

  it('a lane that met the silence of a dead holder while it was full looks as soon as there is room', async () => {
    const options = { types: { t: { partitions: 2, concurrency: 1 } } };
    const [forHolder = '', forSibling = ''] = idsOfPartition(0, 2);
    const [waiting = ''] = idsOfPartition(1, 1);
    const work = deferred();
    const holder = newProcess({ options }).handle('t', () => new Promise(() => undefined));
    await holder.start();
    const dead = new Set(store.turns.map(({ holder: name }) => name));
    const runs: string[] = [];
    const full = newProcess({ options }).handle('t', (task) => {
      runs.push(task.id);
      return task.id === forSibling ? work.promise : undefined;
    });
    await full.start();
    await clock.advanceMs(1_000);
    await full.schedule('t', 0, { id: forHolder });
    await clock.advanceMs(100);
    await full.schedule('t', 0, { id: forSibling });
    await clock.advanceMs(5_000);
    expect(runs).toEqual([forSibling]);
    store.fault = (call, request) => (call === 'peek' || dead.has(request?.holder ?? '') ? 'not sent' : null);
    await full.schedule('t', 0, { id: waiting });
    // Silence is noticed after 4 to 5 s, and would be noticed again after 8 to 10 s.
    await clock.advanceMs(6_000);
    work.resolve();
    await clock.advanceMs(10);
    expect(runs).toEqual([forSibling, waiting]);
  });

  it('the answer to a look that was sent before a turn does not put off what the turn has learned', async () => {
    const answers: (() => void)[] = [];
    let holdBack = false;
    class SlowPeeks extends FaultyStore {
      /** Signals take another connection, and may come long after the answers. */
      override get wakeups$(): Observable<Wakeup> {
        return NEVER;
      }

      override async peek(request: PeekRequest): Promise<readonly PeekReply[]> {
        const replies = await super.peek(request);
        if (holdBack) await new Promise<void>((resolve) => answers.push(resolve));
        return replies;
      }
    }
    store = new SlowPeeks(clock, { reliableWakeups: false, armHoldMs: 5_000 });
    const startedAtMs: number[] = [];
    const work = deferred();
    const process = newProcess({ store }).handle('t', async () => {
      startedAtMs.push(clock.monotonicMs());
      if (startedAtMs.length > 1) return undefined;
      await work.promise;
      return TaskOutcome.snooze(700);
    });
    await process.schedule('t', 0, { id: 'a' });
    await process.schedule('t', 60_000, { id: 'far' });
    await process.start();
    holdBack = true;
    // While 'a' runs, the look finds 'far' next.
    await clock.advanceMs(2_600);
    expect(answers).toHaveLength(1);
    work.resolve();
    await clock.advanceMs(10);
    answers[0]?.();
    await clock.advanceMs(700);
    expect(startedAtMs).toEqual([0, 2_600 + 700]);
  });

  it('C53 starts nothing of a claim that is answered in time, but after its lease', async () => {
    let slow = false;
    class SlowTurns extends FaultyStore {
      override async turn(request: TurnRequest): Promise<TurnReply> {
        const reply = await super.turn(request);
        if (slow && request.claim) await new Promise<void>((resolve) => clock.setTimer(resolve, 2_000));
        return reply;
      }
    }
    store = new SlowTurns(clock);
    const runs: number[] = [];
    const options = { types: { t: { lease: '1s' } } } as const;
    const process = newProcess({ store, options }).handle('t', (task) => runs.push(task.deliveries));
    await process.start();
    slow = true;
    await process.schedule('t', 0, { id: 'a' });
    await clock.advanceMs(1_999);
    slow = false;
    await clock.advanceMs(1);
    // Given back (nobody else had it), and claimed anew at once.
    expect(runs).toEqual([2]);
    expect(process.eventsOf('released')).toHaveLength(1);
  });

  it('a logger that throws changes nothing', async () => {
    const warning = jest.spyOn(globalThis.process, 'emitWarning').mockReturnValue(undefined);
    const throwing = (): never => {
      throw new Error('disk full');
    };
    const queue = new DelayQueueRuntime({
      store,
      clock,
      settings: new QueueSettings({}),
      observers: [],
      logger: { log: throwing, warn: throwing, error: throwing },
    });
    const runs: string[] = [];
    queue.addHandler({ type: 't', name: 'T.t', run: (task) => runs.push(task.id) });
    await queue.open();
    await queue.start();
    const envelope = encodeEnvelope({ payloadJson: '1', life: newLife(clock.nowMs()), overrides: {} });
    const submit = (id: string): Promise<unknown> =>
      queue.submit('t', { kind: 'schedule', id, due: { delayMs: 1_000 }, envelope, onDuplicate: 'keep' });
    await submit('a');
    store.fault = (call) => (call === 'turn' ? 'not sent' : null);
    await clock.advanceMs(3_000);
    store.fault = () => null;
    await clock.advanceMs(5_000);
    expect(runs).toEqual(['a']);
    expect(warning).toHaveBeenCalled();
    const closed = queue.close();
    await clock.advanceMs(1_000);
    await closed;
    warning.mockRestore();
  });

  it('closes within the shutdown time although a mutation is not answered', async () => {
    class SilentMutations extends FaultyStore {
      override mutate(): Promise<never> {
        return new Promise(() => undefined);
      }
    }
    store = new SilentMutations(clock);
    const process = newProcess({ store, options: { shutdownTimeout: '3s', storeTimeout: '10s' } });
    await process.start();
    void process.schedule('t', 0).catch(() => undefined);
    await clock.advanceMs(0);
    const startedAtMs = clock.monotonicMs();
    let closedAfterMs = Infinity;
    void process.runtime.close().then(() => (closedAfterMs = clock.monotonicMs() - startedAtMs));
    await clock.advanceMs(20_000);
    expect(closedAfterMs).toBeLessThanOrEqual(3_500);
  });

  it('says so when a claim is answered after the queue has closed', async () => {
    let slow = false;
    class SlowTurns extends FaultyStore {
      override async turn(request: TurnRequest): Promise<TurnReply> {
        const reply = await super.turn(request);
        if (slow && request.claim) await new Promise<void>((resolve) => clock.setTimer(resolve, 8_000));
        return reply;
      }
    }
    store = new SlowTurns(clock);
    const process = newProcess({ store, options: { shutdownTimeout: '3s' } }).handle('t', () => undefined);
    await process.start();
    slow = true;
    await process.schedule('t', 0, { id: 'a' });
    await clock.advanceMs(1);
    const closed = process.runtime.close();
    await clock.advanceMs(10_000);
    await closed;
    expect(process.eventsOf('started')).toEqual([]);
    expect(process.lines.filter((line) => line.includes('claimed while the queue closed'))).toHaveLength(1);
  });

  it('pauses after every turn that fails, also after one whose failure gives places back', async () => {
    const sentAtMs: number[] = [];
    class FailingTurns extends FaultyStore {
      override async turn(): Promise<never> {
        sentAtMs.push(clock.monotonicMs());
        await new Promise<void>((resolve) => clock.setTimer(resolve, 10));
        throw new StoreUnavailableError('unknown', 'The network is down.');
      }
    }
    store = new FailingTurns(clock);
    const process = newProcess({ store, options: { shutdownTimeout: '3s' } }).handle('t', () => undefined);
    await process.start();
    await clock.advanceMs(5);
    // A wake during the call: another claim is wanted.
    await process.schedule('t', 0);
    await clock.advanceMs(1_000);
    const gaps = sentAtMs.slice(1).map((atMs, index) => atMs - (sentAtMs[index] ?? 0));
    expect(gaps.length).toBeGreaterThan(3);
    // The call takes 10 ms, and the shortest pause is half of 50 ms.
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(10 + 25);
  });

  it('does not hold the boot up a second time when the store was away the first', async () => {
    class Absent extends FaultyStore {
      override async open(): Promise<readonly string[]> {
        await new Promise<void>((resolve) => clock.setTimer(resolve, 5_000));
        if (clock.monotonicMs() < 12_000) throw new StoreUnavailableError('not_sent', 'Nobody is there.');
        return super.open();
      }
    }
    store = new Absent(clock);
    const process = newProcess({ store }).handle('t', () => undefined);
    let bootedAfterMs = Infinity;
    const booted = process.runtime.open().then(() => process.runtime.start());
    void booted.then(() => (bootedAfterMs = clock.monotonicMs()));
    await clock.advanceMs(30_000);
    expect(bootedAfterMs).toBe(5_000);
    await process.schedule('t', 0);
    await clock.advanceMs(0);
    expect(process.eventsOf('completed')).toHaveLength(1);
  });

  it('a step of the store clock that a turn finds makes the lane renew before it claims', async () => {
    let skewMs = 0;
    const stepping: Clock = {
      nowMs: () => clock.nowMs() + skewMs,
      monotonicMs: () => clock.monotonicMs(),
      setTimer: (callback, delayMs) => clock.setTimer(callback, delayMs),
    };
    const starts: string[] = [];
    const work = deferred();
    const process = newProcess({ store: new MemoryTaskStore({ clock: stepping }) }).handle('t', (task) => {
      starts.push(task.id);
      return task.id === 'long' ? work.promise : undefined;
    });
    await process.start();
    await process.schedule('t', 0, { id: 'long' });
    await clock.advanceMs(100);
    skewMs = 25_000;
    await process.schedule('t', 0, { id: 'x' });
    await clock.advanceMs(15_000);
    expect(process.eventsOf('clock jump')).toHaveLength(1);
    expect(starts).toEqual(['long', 'x']);
    work.resolve();
    await clock.advanceMs(10);
    expect(process.eventsOf('lease lost')).toEqual([]);
  });

  it('the time limit of a handler that never ends leaves no timer behind when the queue has closed', async () => {
    const options = { shutdownTimeout: '5s', types: { t: { handlerTimeout: '10m' } } } as const;
    const process = newProcess({ options }).handle('t', () => new Promise(() => undefined));
    await process.start();
    await process.schedule('t', 0);
    await clock.advanceMs(0);
    const closed = process.runtime.close();
    await clock.advanceMs(5_000);
    await closed;
    expect(clock.pendingTimers).toBe(0);
  });

  it('a call that fails after the close begins no pause', () => {
    const pause = new RetryPause(clock, () => undefined);
    pause.close();
    pause.failed();
    expect(clock.pendingTimers).toBe(0);
  });
});
