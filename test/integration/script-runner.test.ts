import { afterEach, describe, expect, it } from '@jest/globals';
import { QueueClosedError } from '../../libs/delay-queue/src/core/errors.js';
import { claim, LONG_TIMEOUT_MS, OutageFixture, ref, schedule, statuses } from './support/outage-fixture.js';

let fixture: OutageFixture;
afterEach(() => fixture.stop());

async function start(callTimeoutMs: number): Promise<void> {
  fixture = await OutageFixture.start(callTimeoutMs);
}

describe('scripts that the server does not know', () => {
  it('C05 are sent as text, before every call', async () => {
    await start(LONG_TIMEOUT_MS);
    const calls: (() => Promise<unknown>)[] = [
      () => fixture.store.register({ type: 't', partitions: 1, dedupeForMs: 0 }),
      () => fixture.store.init(ref),
      () => fixture.store.mutate(ref, [schedule('a')]),
      () => fixture.store.turn(claim),
      () => fixture.store.peek({ holder: 'me', lanes: [ref] }),
      () => fixture.store.get(ref, 'a'),
      () => fixture.store.list(ref, { state: 'running', offset: 0, limit: 5 }),
      () => fixture.store.stats(ref),
      () => fixture.store.setPaused(ref, false),
      () => fixture.store.trim(ref, { deadKeepMs: 1, deadMax: 1 }),
    ];
    for (let round = 0; round < 3; round++) {
      for (const call of calls) {
        await fixture.redis.script('FLUSH');
        await call();
      }
    }
    expect(await fixture.store.get(ref, 'a')).toMatchObject({ state: 'running', deliveries: 1 });
  });

  it('C05 C51 keep the order of calls in flight', async () => {
    await start(LONG_TIMEOUT_MS);
    await fixture.store.mutate(ref, [schedule('warm')]);
    for (let round = 0; round < 50; round++) {
      await fixture.redis.script('FLUSH');
      const answers = await Promise.all([
        fixture.store.mutate(ref, [schedule('a')]),
        fixture.store.mutate(ref, [{ kind: 'cancel', id: 'a' }]),
        fixture.store.mutate(ref, [schedule('a')]),
        fixture.store.mutate(ref, [{ kind: 'cancel', id: 'a' }]),
      ]);
      expect(answers.flatMap(statuses)).toEqual(['created', 'cancelled', 'created', 'cancelled']);
    }
  });

  it('go by their name afterwards', async () => {
    await start(LONG_TIMEOUT_MS);
    await fixture.store.mutate(ref, [schedule('a')]);
    await fixture.redis.config('RESETSTAT');
    await fixture.store.mutate(ref, [schedule('b')]);
    const commands = await fixture.redis.info('commandstats');
    expect(commands).toMatch(/cmdstat_evalsha:calls=1,/);
    expect(commands).not.toMatch(/cmdstat_eval:/);
  });
});

it('calls after closing are refused', async () => {
  await start(LONG_TIMEOUT_MS);
  await fixture.store.close();
  const calls = [
    fixture.store.open(),
    fixture.store.turn(claim),
    fixture.store.stats(ref),
    fixture.store.mutate(ref, [schedule('a')]),
    fixture.store.listen([ref]),
    fixture.store.signal({ kind: 'ping', ref, holder: 'me' }),
    fixture.store.peek({ holder: 'me', lanes: [ref] }),
    fixture.store.register({ type: 't', partitions: 1, dedupeForMs: 0 }),
  ];
  for (const call of calls) await expect(call).rejects.toThrow(QueueClosedError);
});
