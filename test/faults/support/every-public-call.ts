import { expect } from '@jest/globals';
import type { ScenarioRun } from './scenario-run.js';
import { TYPE } from './scenario-parts.js';

const LATER_MS = 60_000;
const OK = { deeds: [{ kind: 'ok' }] } as const;

/**
 * Makes every call of producer and admin, with each answer that it can give, and lets handlers end in every way.
 *
 * Expects workers, a type with `maxRetries` 1, and nothing in the queue; leaves nothing in it.
 */
export async function makeEveryPublicCall(s: ScenarioRun): Promise<void> {
  await s.schedule(100, { withinMs: 1_500 });
  await s.schedule(20, { id: 'retried', deeds: [{ kind: 'throw' }, { kind: 'ok' }] });
  await s.schedule(20, { id: 'snoozed', deeds: [{ kind: 'snooze', ms: 100 }, { kind: 'ok' }] });
  const dead = await s.schedule(20, { id: 'dead', deeds: [{ kind: 'throw' }, { kind: 'throw' }, { kind: 'ok' }] });
  await scheduleManyAndReplace(s);
  await changeWaiting(s);
  await s.drained();
  await redrive(s, dead);
  await purge(s);
}

async function scheduleManyAndReplace(s: ScenarioRun): Promise<void> {
  const { producer } = await s.client();
  const items = Array.from({ length: 50 }, (_, index) => ({ payload: OK, delay: LATER_MS, id: `many-${index}` }));
  const many = await producer.scheduleMany(TYPE, items);
  expect(many.every(({ status }) => status === 'created')).toBe(true);
  const time = { id: 'many-0', delay: LATER_MS } as const;
  expect(await producer.schedule(TYPE, OK, time)).toMatchObject({ status: 'duplicate' });
  expect(await producer.schedule(TYPE, OK, { ...time, onDuplicate: 'replace' })).toMatchObject({ status: 'replaced' });
  expect(await producer.get(TYPE, 'many-0')).toMatchObject({ state: 'waiting' });
  for (const { id } of many) expect(await producer.cancel(TYPE, id)).toMatchObject({ status: 'cancelled' });
  expect(await producer.get(TYPE, 'many-0')).toBeNull();
}

async function changeWaiting(s: ScenarioRun): Promise<void> {
  const { producer } = await s.client();
  const moved = await s.schedule(20, { id: 'moved', delayMs: LATER_MS, movable: true });
  const pulled = await s.schedule(20, { id: 'pulled', delayMs: LATER_MS, movable: true });
  for (const id of moved) {
    expect(await producer.reschedule(TYPE, id, { delay: 500 })).toMatchObject({ status: 'rescheduled' });
  }
  for (const id of pulled) expect(await producer.runNow(TYPE, id)).toMatchObject({ status: 'rescheduled' });
  expect(await producer.cancel(TYPE, 'unknown')).toMatchObject({ status: 'not_found' });
  expect(await producer.runNow(TYPE, 'unknown')).toMatchObject({ status: 'not_found' });
  expect(await producer.reschedule(TYPE, 'unknown', { delay: 1 })).toMatchObject({ status: 'not_found' });
}

async function redrive(s: ScenarioRun, dead: readonly string[]): Promise<void> {
  const { admin } = await s.client();
  const [one = '', two = '', ...others] = dead;
  expect((await admin.stats(TYPE)).dead).toBe(dead.length);
  expect((await admin.listDead(TYPE)).items).toHaveLength(dead.length);
  await admin.pause(TYPE);
  expect(await admin.redrive(TYPE, one)).toMatchObject({ status: 'redriven' });
  expect(await admin.redrive(TYPE, [two, 'unknown'])).toMatchObject([{ status: 'redriven' }, { status: 'not_found' }]);
  expect((await admin.listWaiting(TYPE)).items).toHaveLength(2);
  expect((await admin.listRunning(TYPE)).items).toHaveLength(0);
  expect(await admin.redriveAll(TYPE)).toBe(others.length);
  await admin.resume(TYPE);
  await s.drained();
}

async function purge(s: ScenarioRun): Promise<void> {
  const { admin } = await s.client();
  await s.schedule(5, { id: 'purged', deeds: [{ kind: 'throw' }], maxRetries: 0, ending: 'any' });
  await s.drained();
  const [letter] = (await admin.listDead(TYPE, { limit: 1 })).items;
  expect(await admin.purgeDead(TYPE, letter?.id ?? '')).toMatchObject({ status: 'purged' });
  expect(await admin.purgeDead(TYPE, 'unknown')).toMatchObject({ status: 'not_found' });
  expect(await admin.purgeAllDead(TYPE)).toBe(4);
}
