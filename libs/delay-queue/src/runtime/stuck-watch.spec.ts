import { beforeEach, describe, expect, it } from '@jest/globals';
import { VirtualClock } from '../core/virtual-clock.js';
import type { QueueEvent } from '../ports/queue-event.js';
import type { Run } from './run.js';
import { newRun } from './run.spec-support.js';
import { ABORT_GRACE_MS, StuckWatch } from './stuck-watch.js';

const STUCK_AFTER_MS = 60_000;

describe('StuckWatch', () => {
  let clock: VirtualClock;
  let events: QueueEvent[];
  let runs: Set<Run>;
  let watch: StuckWatch;

  beforeEach(() => {
    clock = new VirtualClock();
    events = [];
    runs = new Set();
    const observer = { notify: (event: QueueEvent) => void events.push(event) };
    watch = new StuckWatch({ clock, stuckAfterMs: STUCK_AFTER_MS, observer, runs });
  });

  /** A run whose handler begins now. */
  function begin(id: string): Run {
    const run = newRun({ id });
    run.startedAtMs = clock.monotonicMs();
    runs.add(run);
    watch.handlerStarted(run);
    return run;
  }

  it('reports a handler once, when it has been running for too long', async () => {
    const run = begin('a');
    await clock.advanceMs(STUCK_AFTER_MS - 1);
    expect(events).toEqual([]);
    await clock.advanceMs(5 * STUCK_AFTER_MS);
    const { type, id, deliveries, failures, dueAtMs } = run;
    expect(events).toEqual([{ kind: 'stuck', type, id, deliveries, failures, dueAtMs, runningForMs: STUCK_AFTER_MS }]);
    expect(watch.stuck).toEqual([{ type, id, runningForMs: 6 * STUCK_AFTER_MS - 1 }]);
    runs.delete(run);
    expect(watch.stuck).toEqual([]);
  });

  it('reports each of several handlers at its own time', async () => {
    const first = begin('first');
    await clock.advanceMs(STUCK_AFTER_MS / 2);
    begin('second');
    runs.delete(first);
    await clock.advanceMs(STUCK_AFTER_MS);
    expect(events).toEqual([expect.objectContaining({ id: 'second', runningForMs: STUCK_AFTER_MS })]);
  });

  it('reports a handler that has not ended within the grace after its abort', async () => {
    const obeys = begin('obeys');
    const ignores = begin('ignores');
    await clock.advanceMs(500);
    for (const run of [obeys, ignores]) run.abort('handler timeout', clock.monotonicMs());
    watch.handlerAborted();
    await clock.advanceMs(ABORT_GRACE_MS - 1);
    runs.delete(obeys);
    expect(events).toEqual([]);
    await clock.advanceMs(1);
    expect(events).toEqual([expect.objectContaining({ kind: 'stuck', id: 'ignores', runningForMs: 1_500 })]);
  });

  it('says nothing of a run that was aborted before its handler was started', async () => {
    const run = newRun({ id: 'waits' });
    runs.add(run);
    run.abort('shutdown', clock.monotonicMs());
    watch.handlerAborted();
    await clock.advanceMs(10 * STUCK_AFTER_MS);
    expect(events).toEqual([]);
    expect(watch.stuck).toEqual([]);
  });

  it('reports nothing and holds no timer once it is closed', async () => {
    const run = begin('a');
    watch.close();
    watch.handlerStarted(run);
    watch.handlerAborted();
    expect(clock.pendingTimers).toBe(0);
    await clock.advanceMs(10 * STUCK_AFTER_MS);
    expect(events).toEqual([]);
  });
});
