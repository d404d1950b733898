import { describe, expect, it } from '@jest/globals';
import { InvalidPayloadError } from '../core/errors.js';
import type { PayloadCheck } from '../task/payload-check.js';
import { PayloadGate } from './payload-gate.js';
import { newRun } from './run.spec-support.js';

type Settings = ConstructorParameters<typeof PayloadGate>[0];

function newGate(settings: Partial<Settings> = {}) {
  const lines: string[] = [];
  const log = (line: string) => void lines.push(line);
  const all = { type: 't', version: 1, upcast: {}, payloadCheck: null, onUnknownVersion: 'bury', ...settings } as const;
  return { gate: new PayloadGate(all, { log, warn: log, error: log }), lines };
}

const invalid: PayloadCheck = () => ({ kind: 'invalid', issues: [{ path: 'payload.to', message: 'is missing' }] });

describe('PayloadGate', () => {
  it('lets a payload through as it is when nothing is said about it', () => {
    const run = newRun({ payload: { a: 1 } });
    expect(newGate().gate.admit(run)).toBeNull();
    expect(run.payload).toEqual({ a: 1 });
  });

  it('brings the payload up to date, and then has it checked', () => {
    const payloadCheck: PayloadCheck = (payload) => ({
      kind: 'valid',
      payload: { ...(payload as object), checked: true },
    });
    const { gate } = newGate({ version: 2, upcast: { 1: (old: object) => ({ ...old, b: 2 }) }, payloadCheck });
    const run = newRun({ payload: { a: 1 } });
    expect(gate.admit(run)).toBeNull();
    expect(run.payload).toEqual({ a: 1, b: 2, checked: true });
  });

  it('buries what does not fit, with the issues in the reason', () => {
    expect(newGate({ payloadCheck: invalid }).gate.admit(newRun())).toEqual({
      kind: 'bury',
      reason: 'invalid payload: payload.to: is missing',
      error: expect.any(InvalidPayloadError),
    });
  });

  it('cuts a reason that is too long for a dead letter', () => {
    const payloadCheck: PayloadCheck = () => ({
      kind: 'invalid',
      issues: [{ path: 'payload', message: 'é'.repeat(9_000) }],
    });
    const refusal = newGate({ payloadCheck }).gate.admit(newRun()) as { reason: string };
    expect(Buffer.byteLength(refusal.reason)).toBeLessThanOrEqual(1_024);
  });

  it('waits for a check that answers later', async () => {
    const late = newGate({ payloadCheck: async () => ({ kind: 'valid', payload: 7 }) }).gate;
    const run = newRun();
    const answer = late.admit(run);
    expect(answer).toBeInstanceOf(Promise);
    expect(await answer).toBeNull();
    expect(run.payload).toBe(7);
    const refusing = newGate({ payloadCheck: async (payload) => invalid(payload) }).gate;
    expect(await refusing.admit(newRun())).toMatchObject({ kind: 'bury' });
  });

  it('throws what a check throws', async () => {
    const error = new Error('away');
    const throwing = newGate({
      payloadCheck: () => {
        throw error;
      },
    });
    expect(() => throwing.gate.admit(newRun())).toThrow(error);
    await expect(newGate({ payloadCheck: () => Promise.reject(error) }).gate.admit(newRun())).rejects.toBe(error);
  });

  it('buries a task whose upcast fails, without asking the schema', () => {
    const error = new Error('broken');
    const upcast = {
      1: () => {
        throw error;
      },
    };
    expect(newGate({ version: 2, upcast, payloadCheck: invalid }).gate.admit(newRun())).toEqual({
      kind: 'bury',
      reason: 'the upcast from payload version 1 to 2 threw',
      error,
    });
  });

  it('buries a version that it does not know', () => {
    expect(newGate().gate.admit(newRun({ version: 2 }))).toEqual({
      kind: 'bury',
      reason: 'payload version 2 is not known here, the newest is 1',
      error: undefined,
    });
  });

  it('lets it wait, by option: longer with each delivery, at most a minute', () => {
    const { gate } = newGate({ onUnknownVersion: 'wait' });
    const waits = [1, 2, 3, 6, 7, 50, 5_000].map((deliveries) => {
      const refusal = gate.admit(newRun({ version: 2, deliveries })) as { kind: string; delayMs: number };
      expect(refusal.kind).toBe('wait');
      return refusal.delayMs;
    });
    const fullMs = [1_000, 2_000, 4_000, 32_000, 60_000, 60_000, 60_000];
    waits.forEach((delayMs, index) => {
      expect(delayMs).toBeLessThanOrEqual(fullMs[index] ?? 0);
      expect(delayMs).toBeGreaterThanOrEqual((fullMs[index] ?? 0) * 0.8);
    });
  });

  it('says once for each version that its tasks wait', () => {
    const { gate, lines } = newGate({ onUnknownVersion: 'wait', version: 3 });
    for (const version of [4, 4, 5, 1, 1, 4]) void gate.admit(newRun({ version }));
    expect(lines).toEqual([
      "Tasks of 't' wait for a process that knows their version: payload version 4 is not known here, the newest is 3.",
      "Tasks of 't' wait for a process that knows their version: payload version 5 is not known here, the newest is 3.",
      "Tasks of 't' wait for a process that knows their version: there is no upcast from payload version 1 to 2.",
    ]);
  });
});
