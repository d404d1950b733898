import { beforeEach, describe, expect, it } from '@jest/globals';
import { VirtualClock } from '../../core/virtual-clock.js';
import type { DeliveryTrace, SchedulingTrace, TaskTracer } from '../../ports/task-tracer.js';
import type { TaskHeaders } from '../../task/task-headers.js';
import { newRun } from '../run.spec-support.js';
import { GuardedTracer } from './guarded-tracer.js';
import { QUIET_MS } from './tracer-calls.js';

const fail = (): never => {
  throw new Error('no tracing today');
};

const soundCall: SchedulingTrace = {
  within: (work) => work(),
  headersFor: () => ({ traceparent: 'a' }),
  succeeded: () => undefined,
  failed: () => undefined,
};
const soundDelivery: DeliveryTrace = { within: (work) => work(), ended: () => undefined };

const END = { kind: 'released', type: 't', id: 'a', deliveries: 1, failures: 0, dueAtMs: 0 } as const;

let clock: VirtualClock;
let lines: string[];

beforeEach(() => {
  clock = new VirtualClock();
  lines = [];
});

function guard(tracer: Partial<TaskTracer>): GuardedTracer {
  const log = (message: string): void => void lines.push(message);
  const logger = { log, warn: log, error: log };
  const whole = { scheduling: () => soundCall, running: () => soundDelivery, ...tracer };
  return new GuardedTracer({ tracer: whole, queue: 'shop', clock, logger });
}

/** Schedules under a tracer, and answers what the task carries. */
async function schedule(tracer: GuardedTracer, headers: TaskHeaders = { own: 'b' }) {
  const call = async (trace: Parameters<Parameters<GuardedTracer['scheduling']>[1]>[0]) => ({
    headers: trace?.headersFor({ id: 'a', headers }) ?? headers,
  });
  return (await tracer.scheduling({ type: 't', count: null }, call)).headers;
}

/** Runs a handler under a tracer, to its end. */
function run<Result>(tracer: GuardedTracer, handler: () => Result): Result {
  const delivery = tracer.running(newRun(), 0);
  if (delivery === null) return handler();
  const result = delivery.run(handler);
  delivery.ended(END);
  return result;
}

describe('GuardedTracer', () => {
  it('adds what a trace wants tasks to carry to their own headers, which win', async () => {
    expect(await schedule(guard({}))).toEqual({ own: 'b', traceparent: 'a' });
    expect(await schedule(guard({}), { traceparent: 'own' })).toEqual({ traceparent: 'own' });
  });

  it.each<[string, Partial<SchedulingTrace>]>([
    ['within', { within: fail }],
    ['headersFor', { headersFor: fail }],
    ['succeeded', { succeeded: fail }],
    ['no method at all', { within: undefined as never, headersFor: undefined as never, succeeded: undefined as never }],
  ])('a call goes through when its trace fails in %s, and that is logged', async (_, methods) => {
    const headers = await schedule(guard({ scheduling: () => ({ ...soundCall, ...methods }) }));
    expect(headers).toMatchObject({ own: 'b' });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('Tracing fails');
  });

  it('a call that fails rejects with its own error, when its trace fails as well', async () => {
    const error = new Error('the store is away');
    const tracer = guard({ scheduling: () => ({ ...soundCall, failed: fail }) });
    await expect(tracer.scheduling({ type: 't', count: 2 }, () => Promise.reject(error))).rejects.toBe(error);
  });

  it('a tracer may pass over calls and deliveries', async () => {
    const tracer = guard({ scheduling: () => null, running: () => null });
    expect(await schedule(tracer)).toEqual({ own: 'b' });
    expect(run(tracer, () => 7)).toBe(7);
    expect(lines).toEqual([]);
  });

  it.each<[string, unknown]>([
    ['a number', { traceparent: 1 }],
    ['nothing that can be read', 'traceparent'],
    ['null', null],
    ["a header of the queue's own", { 'delay-queue-ledger-check': '1' }],
    ['more than a store call may hold', { baggage: 'x'.repeat(20_000) }],
  ])('a task carries its own headers alone when the trace adds %s', async (_, headers) => {
    const headersFor = (): TaskHeaders => headers as TaskHeaders;
    expect(await schedule(guard({ scheduling: () => ({ ...soundCall, headersFor }) }))).toEqual({ own: 'b' });
    expect(lines).toHaveLength(1);
  });

  it.each<[string, DeliveryTrace['within']]>([
    ['fails before', fail],
    [
      'fails afterwards',
      (work) => {
        work();
        fail();
      },
    ],
    ['calls it twice', (work) => [work(), work()]],
    ['calls it never', () => undefined],
    ['calls it too late', (work) => queueMicrotask(work)],
    ['passes over its error', (work) => void Promise.resolve(work())],
  ])('a handler runs once, at once, when the trace %s', async (_, within) => {
    const tracer = guard({ running: () => ({ ...soundDelivery, within }) });
    let runs = 0;
    expect(run(tracer, () => ++runs)).toBe(1);
    await Promise.resolve();
    expect(runs).toBe(1);
    const error = new Error('the handler has failed');
    const failing = (): never => {
      throw error;
    };
    expect(() => run(tracer, failing)).toThrow(error);
  });

  it('logs once an episode, also when some calls do not fail', async () => {
    let failing = true;
    const tracer = guard({
      scheduling: () => (failing ? fail() : soundCall),
      running: () => ({ ...soundDelivery, ended: fail }),
    });
    for (let round = 0; round < 10; round++) {
      failing = round % 2 === 0;
      await schedule(tracer);
      run(tracer, () => undefined);
      await clock.advanceMs(QUIET_MS / 2);
    }
    expect(lines).toHaveLength(1);
    await clock.advanceMs(QUIET_MS);
    failing = true;
    await schedule(tracer);
    expect(lines).toHaveLength(2);
  });
});
