import { describe, expect, it } from '@jest/globals';
import { upcastPayload, type UpcastSteps } from './upcast-payload.js';

const UPCAST: UpcastSteps = {
  1: (old: { order: string }) => ({ orderId: old.order }),
  2: (old: object) => ({ ...old, currency: 'EUR' }),
};
const GOAL = { version: 3, upcast: UPCAST };

describe('upcastPayload', () => {
  it('takes every step from the stored version on', () => {
    const current = { kind: 'current', payload: { orderId: '7', currency: 'EUR' } };
    expect(upcastPayload({ order: '7' }, 1, GOAL)).toEqual(current);
    expect(upcastPayload({ orderId: '7' }, 2, GOAL)).toEqual(current);
  });

  it('leaves a payload of the current version as it is', () => {
    const payload = { orderId: '7' };
    expect(upcastPayload(payload, 3, GOAL)).toEqual({ kind: 'current', payload });
  });

  it('does not know a newer version', () => {
    expect(upcastPayload({}, 4, GOAL)).toEqual({
      kind: 'unknown',
      reason: 'payload version 4 is not known here, the newest is 3',
    });
  });

  it.each([1, 2])('does not skip the missing step from version %d', (missing) => {
    const upcast = Object.fromEntries(Object.entries(UPCAST).filter(([from]) => from !== String(missing)));
    expect(upcastPayload({}, 1, { version: 3, upcast })).toEqual({
      kind: 'unknown',
      reason: `there is no upcast from payload version ${missing} to ${missing + 1}`,
    });
  });

  it('takes no step from the prototype of the steps', () => {
    const upcast = Object.create({ 1: () => 'inherited' }) as UpcastSteps;
    expect(upcastPayload({}, 1, { version: 2, upcast })).toMatchObject({ kind: 'unknown' });
  });

  it('fails when a step throws, whatever that is', () => {
    const thrown: unknown = 'text';
    const upcast = {
      1: () => {
        throw thrown as Error;
      },
    };
    expect(upcastPayload({}, 1, { version: 2, upcast })).toEqual({
      kind: 'failed',
      reason: 'the upcast from payload version 1 to 2 threw',
      error: 'text',
    });
  });

  it('fails when a step returns a promise, also one that rejects', async () => {
    const upcast = { 1: () => Promise.reject(new Error('nobody waits')) };
    expect(upcastPayload({}, 1, { version: 2, upcast })).toMatchObject({
      kind: 'failed',
      reason: 'the upcast from payload version 1 to 2 returned a promise',
      error: new TypeError('An upcast must be synchronous.'),
    });
  });
});
