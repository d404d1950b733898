import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ProducerFixture, rejection, TYPE } from '../../../../test/nest/support/producer-fixture.js';
import { decodeEnvelope } from '../task/envelope.js';
import type { ScheduleItem } from './schedule-options.js';

const LIMIT = 100;

let queue: ProducerFixture;

beforeEach(() => {
  queue = new ProducerFixture({ options: { types: { [TYPE]: { payloadLimit: LIMIT } } } });
});

afterEach(() => queue.runtime.close());

async function stored(id: string): Promise<unknown> {
  const record = await queue.store.get({ type: TYPE, partition: 0 }, id);
  return record?.envelope === null || record === null ? null : decodeEnvelope(record.envelope).headers;
}

describe('headers', () => {
  it('are stored as they were when the call was made', async () => {
    const headers = { tenant: 'acme' };
    const scheduled = queue.schedule({}, { delay: 0, id: 'a', headers });
    headers.tenant = 'other';
    await scheduled;
    expect(await stored('a')).toEqual({ tenant: 'acme' });
    await queue.producer.scheduleMany(TYPE, [
      { payload: {}, delay: 0, id: 'b', headers: { n: '1' } },
      { payload: {}, delay: 0, id: 'c' },
    ]);
    expect([await stored('b'), await stored('c')]).toEqual([{ n: '1' }, {}]);
  });

  it.each<[string, unknown, string]>([
    ['no texts', { tenant: 7 }, 'headers.tenant'],
    ['a Map', new Map(), 'headers'],
    ["a name of the queue's own", { 'delay-queue-x': '' }, 'headers.delay-queue-x'],
  ])('that are %s are refused by name before anything is written', async (_, headers, field) => {
    const error = await rejection(queue.schedule({}, { delay: 0, headers }));
    expect([error.name, error.code, error.field]).toEqual(['InvalidArgumentError', 'invalid_argument', field]);
    const items = [{ payload: {}, delay: 0 }, { payload: {}, delay: 0, headers } as ScheduleItem<unknown>] as const;
    expect((await rejection(queue.producer.scheduleMany(TYPE, items))).field).toBe(`items[1].${field}`);
    await queue.expectNothingWritten();
  });

  it("share the payload's limit, in bytes of JSON", async () => {
    // {"t":"…"} are 8 bytes beside what stands in the quotes, which are two bytes a letter here.
    const headersOf = (letters: number) => ({ t: 'é'.repeat(letters) });
    const payload = 'x'.repeat(LIMIT - 2 - 8 - 2 * 20);
    await queue.schedule(payload, { delay: 0, id: 'a', headers: headersOf(20) });
    const error = await rejection(queue.schedule(payload, { delay: 0, id: 'b', headers: headersOf(21) }));
    expect(error.field).toBe('headers');
    expect(error.message).toBe('headers: are 50 bytes of JSON beside a payload of 52, the limit for both is 100');
  });
});
