import { describe, expect } from '@jest/globals';
import { waitFor } from '../support/wait-for.js';
import { scenario } from './support/scenario.js';
import type { ScenarioRun } from './support/scenario-run.js';
import { keyOfTask } from './worker/worker-protocol.js';

const ID = 'the-task';
const HELD = [{ kind: 'held', next: { kind: 'ok' } }, { kind: 'ok' }] as const;

/** Waits until the mark of the task's key begins with a letter: `p` in progress, `d` done. */
async function markIs(s: ScenarioRun, letter: 'p' | 'd'): Promise<void> {
  const isIt = async (): Promise<boolean> =>
    (await s.keys.sharedMark(keyOfTask({ id: ID })))?.startsWith(letter) === true;
  await waitFor(isIt, { what: `a mark '${letter}'` });
}

describe('C36 a worker with an idempotent handler is killed', () => {
  for (const idempotent of ['own', 'key'] as const) {
    scenario(
      `C36 between its mark (${idempotent}) and the work: the next delivery does it`,
      { idempotent },
      async (s) => {
        const victim = await s.startWorker();
        await s.schedule(1, { id: ID, deeds: HELD });
        await s.started(ID);
        if (idempotent === 'key') await markIs(s, 'p');
        await s.killWorker(victim);
        expect(s.records.of('effect')).toEqual([]);
        await s.startWorkers(1);
        await s.drained();
        expect(s.records.of('effect').map(({ made }) => made)).toEqual([true]);
        expect(s.events('skipped')).toEqual([]);
        if (idempotent === 'key') await markIs(s, 'd');
      },
    );
  }

  scenario('C36 by itself, as soon as it is at work, with its mark in progress', { idempotent: 'key' }, async (s) => {
    await s.startWorkers(1, { supervised: true });
    await s.schedule(1, { id: ID, deeds: [{ kind: 'exit' }, { kind: 'exit' }, { kind: 'ok' }] });
    await s.drained();
    expect(s.records.of('start').map(({ deliveries }) => deliveries)).toEqual([1, 2, 3]);
  });

  scenario('between the work and its mark: the window that no mark closes', { idempotent: 'key' }, async (s) => {
    const proxy = await s.proxy();
    const victim = await s.startWorker({ via: proxy });
    await s.schedule(1, { id: ID, deeds: HELD });
    await s.started(ID);
    proxy.hold('requests');
    victim.tell({ kind: 'let go', id: ID });
    await waitFor(() => s.records.of('end').length > 0, { what: 'the handler to end' });
    await s.killWorker(victim);
    await s.startWorkers(1);
    await s.drained();
    // Only the condition of the effect itself kept it from being made twice.
    expect(s.records.of('effect').map(({ made }) => made)).toEqual([true, false]);
  });

  scenario('between its mark and the completion: the next delivery is skipped', { idempotent: 'key' }, async (s) => {
    const proxy = await s.proxy();
    const victim = await s.startWorker({ via: proxy });
    await s.schedule(1, { id: ID, deeds: HELD });
    await s.started(ID);
    proxy.hold('replies');
    victim.tell({ kind: 'let go', id: ID });
    await markIs(s, 'd');
    await s.killWorker(victim);
    await s.startWorkers(1);
    await s.drained();
    expect(s.records.of('effect').map(({ made }) => made)).toEqual([true]);
    expect(s.records.of('start')).toHaveLength(1);
    await waitFor(() => s.events('skipped', ID).length === 1, { what: 'the event' });
  });
});

scenario('workers with idempotent handlers are killed under load', { idempotent: 'key' }, async (s) => {
  await s.startWorkers(3);
  const stopLoad = s.load({ perSecond: 40, withinMs: 1_000, deeds: [{ kind: 'slow', ms: 50 }] });
  for (const worker of s.workers) {
    await s.started('task-1');
    await s.killWorker(worker);
    await worker.restart();
  }
  await stopLoad();
});
