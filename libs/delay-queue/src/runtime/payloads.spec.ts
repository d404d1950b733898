import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { VirtualClock } from '../core/virtual-clock.js';
import { MemoryTaskStore } from '../memory/memory-task-store.js';
import type { TaskTypeOptions } from '../options/queue-options.js';
import { deferred, RuntimeHarness } from './runtime-harness.spec-support.js';

const MINUTE_MS = 60_000;

/** From the claim to the outcome, on the memory store: what the schema and the version of a type do to its tasks. */
describe('payloads on their way to the handler', () => {
  let clock: VirtualClock;
  let store: MemoryTaskStore;
  let open: RuntimeHarness[];
  let handled: unknown[];

  beforeEach(() => {
    clock = new VirtualClock();
    store = new MemoryTaskStore({ clock });
    open = [];
    handled = [];
  });

  afterEach(async () => {
    const closed = Promise.all(open.map(({ runtime }) => runtime.close()));
    await clock.advanceMs(30_000);
    await closed;
  });

  const startProcess = async (options: TaskTypeOptions): Promise<RuntimeHarness> => {
    const harness = new RuntimeHarness({ clock, store, options: { types: { t: options } } });
    open.push(harness);
    harness.handle('t', (task) => void handled.push(task.payload));
    await harness.start();
    return harness;
  };

  it('give the handler what the schema makes of them', async () => {
    const process = await startProcess({ schema: z.object({ at: z.coerce.date(), retries: z.int().default(3) }) });
    await process.schedule('t', 0, { payload: { at: '2025-01-01' } });
    await clock.advanceMs(0);
    expect(handled).toEqual([{ at: new Date('2025-01-01'), retries: 3 }]);
  });

  it('make a dead letter when they do not fit, and no handler starts', async () => {
    const process = await startProcess({ schema: z.object({ to: z.string('must be a text') }) });
    await process.schedule('t', 0, { id: 'a', payload: { to: 7 } });
    await process.schedule('t', 0, { id: 'b', payload: { to: 'x' } });
    await clock.advanceMs(0);
    expect(handled).toEqual([{ to: 'x' }]);
    expect(await process.stateOf('t', 'a')).toMatchObject({
      state: 'dead',
      failures: 0,
      reason: 'invalid payload: payload.to: must be a text',
      error: expect.stringContaining('InvalidPayloadError: payload.to: must be a text'),
    });
    expect(process.eventsOf('started')).toHaveLength(1);
    expect(process.eventsOf('buried')).toMatchObject([{ id: 'a', reason: expect.stringMatching(/^invalid payload/) }]);
  });

  it('are tried again while the schema itself fails, as they are when the handler does', async () => {
    let away = true;
    const validate = async (value: unknown) => {
      if (away) throw new Error('the list of customers is away');
      return { value };
    };
    const schema = { '~standard': { version: 1, vendor: 'test', validate } } as const;
    const process = await startProcess({ schema, backoff: { type: 'fixed', delay: '1s', jitter: 0 } });
    await process.schedule('t', 0, { id: 'a', payload: 'x' });
    await clock.advanceMs(0);
    expect(await process.stateOf('t', 'a')).toMatchObject({ state: 'waiting', failures: 1 });
    away = false;
    await clock.advanceMs(1_000);
    expect(handled).toEqual(['x']);
    expect(process.eventsOf('retried')).toHaveLength(1);
  });

  it('are not handed over when the stop came while they were checked: the task is given back, nothing counted', async () => {
    const check = deferred();
    const schema = z.string().refine(async () => {
      await check.promise;
      return true;
    });
    const process = await startProcess({ schema });
    await process.schedule('t', 0, { id: 'a', payload: 'x' });
    await clock.advanceMs(0);
    const stopped = process.runtime.stop();
    await clock.advanceMs(30_000);
    await stopped;
    check.resolve();
    await clock.advanceMs(0);
    expect(handled).toEqual([]);
    expect(await process.stateOf('t', 'a')).toMatchObject({ state: 'waiting', failures: 0, lostLeases: 0 });
  });

  it('are not handed over between the abort of a stop and its end either', async () => {
    const check = deferred();
    const schema = z.string().refine(async () => {
      await check.promise;
      return true;
    });
    const process = await startProcess({ schema });
    await process.schedule('t', 0, { id: 'a', payload: 'x' });
    await clock.advanceMs(0);
    const stopped = process.runtime.stop();
    // Of the 25 s of a stop the last one is left to handlers that were told to end.
    await clock.advanceMs(24_200);
    check.resolve();
    await clock.advanceMs(0);
    expect(handled).toEqual([]);
    expect(await process.stateOf('t', 'a')).toMatchObject({ state: 'waiting', failures: 0, lostLeases: 0 });
    await clock.advanceMs(800);
    await stopped;
  });

  it('are not handed over after the time limit, which holds for the check too', async () => {
    const check = deferred();
    const schema = z.string().refine(async () => {
      await check.promise;
      return true;
    });
    const process = await startProcess({ schema, handlerTimeout: '1s', maxRetries: 0 });
    await process.schedule('t', 0, { id: 'a', payload: 'x' });
    await clock.advanceMs(1_000);
    check.resolve();
    await clock.advanceMs(0);
    expect(handled).toEqual([]);
    expect(await process.stateOf('t', 'a')).toMatchObject({ state: 'dead', reason: 'retries used up' });
    expect(process.runtime.health.running).toBe(0);
  });

  it('are brought up to date before they are checked', async () => {
    const process = await startProcess({
      schema: z.strictObject({ orderId: z.string(), currency: z.string() }),
      version: 3,
      upcast: {
        1: (old: { order: string }) => ({ orderId: old.order }),
        2: (old: object) => ({ ...old, currency: 'EUR' }),
      },
    });
    await process.schedule('t', 0, { payload: { order: '1' } });
    await process.schedule('t', 0, { payload: { orderId: '2' }, version: 2 });
    await process.schedule('t', 0, { payload: { orderId: '3', currency: 'USD' }, version: 3 });
    await clock.advanceMs(0);
    const ids = [1, 2, 3].map(String);
    expect(handled).toEqual(ids.map((orderId) => ({ orderId, currency: orderId === '3' ? 'USD' : 'EUR' })));
  });

  it('of a version that is not known make a dead letter with a reason that says so', async () => {
    const process = await startProcess({ version: 2 });
    await process.schedule('t', 0, { id: 'newer', version: 3 });
    await process.schedule('t', 0, { id: 'older', version: 1 });
    await clock.advanceMs(0);
    expect(handled).toEqual([]);
    expect(await process.stateOf('t', 'newer')).toMatchObject({
      state: 'dead',
      reason: 'payload version 3 is not known here, the newest is 2',
    });
    expect(await process.stateOf('t', 'older')).toMatchObject({
      state: 'dead',
      reason: 'there is no upcast from payload version 1 to 2',
    });
  });

  it('make a dead letter when an upcast throws', async () => {
    const upcast = {
      1: () => {
        throw new Error('no such order');
      },
    };
    const process = await startProcess({ version: 2, upcast });
    await process.schedule('t', 0, { id: 'a' });
    await clock.advanceMs(0);
    expect(await process.stateOf('t', 'a')).toMatchObject({
      state: 'dead',
      failures: 0,
      reason: 'the upcast from payload version 1 to 2 threw',
      error: expect.stringContaining('no such order'),
    });
  });

  it('wait by option until a process comes that knows their version, with nothing counted', async () => {
    const old = await startProcess({ onUnknownVersion: 'wait', maxRetries: 0 });
    await old.schedule('t', 0, { id: 'a', payload: 'new', version: 2 });
    await clock.advanceMs(10 * MINUTE_MS);
    expect(handled).toEqual([]);
    expect(await old.stateOf('t', 'a')).toMatchObject({ state: 'waiting', failures: 0, lostLeases: 0 });
    const waits = old.eventsOf('version unknown');
    expect(waits[0]).toMatchObject({ type: 't', id: 'a', version: 2, deliveries: 1 });
    // 1, 2, 4 … 32 s take a minute, then it is looked at once in 48 to 60 s.
    expect(waits.length).toBeGreaterThanOrEqual(14);
    expect(waits.length).toBeLessThanOrEqual(20);
    expect(old.lines.filter((line) => line.includes('wait for a process that knows their version'))).toHaveLength(1);
    await old.runtime.stop();
    await startProcess({ version: 2 });
    await clock.advanceMs(MINUTE_MS);
    expect(handled).toEqual(['new']);
    expect(old.eventsOf('buried')).toEqual([]);
  });
});
