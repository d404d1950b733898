import { describe, expect, it } from '@jest/globals';
import { InvalidArgumentError } from '../core/errors.js';
import { MAX_REASON_BYTES, TaskOutcome } from './task-outcome.js';

const field = (name: string) => expect.objectContaining({ code: 'invalid_argument', field: name });

describe('TaskOutcome', () => {
  it('completes', () => {
    expect(TaskOutcome.complete()).toBeInstanceOf(TaskOutcome);
    expect(TaskOutcome.complete().decision).toEqual({ kind: 'complete' });
  });

  it('retries by the back-off, or after a delay of its own', () => {
    const error = new Error('busy');
    expect(TaskOutcome.retry().decision).toEqual({ kind: 'retry', delayMs: null, error: undefined });
    expect(TaskOutcome.retry({ error }).decision).toEqual({ kind: 'retry', delayMs: null, error });
    expect(TaskOutcome.retry({ delay: '1.5m' }).decision).toMatchObject({ kind: 'retry', delayMs: 90_000 });
    expect(TaskOutcome.retry({ delay: 0 }).decision).toMatchObject({ kind: 'retry', delayMs: 0 });
  });

  it('snoozes, rounding up', () => {
    expect(TaskOutcome.snooze('10m').decision).toEqual({ kind: 'snooze', delayMs: 600_000 });
    expect(TaskOutcome.snooze(0.2).decision).toEqual({ kind: 'snooze', delayMs: 1 });
  });

  it('buries with a reason and an error', () => {
    const error = new Error('404');
    expect(TaskOutcome.bury('unknown order', error).decision).toEqual({ kind: 'bury', reason: 'unknown order', error });
    expect(TaskOutcome.bury('unknown order').decision).toEqual({
      kind: 'bury',
      reason: 'unknown order',
      error: undefined,
    });
  });

  it.each([undefined, null, NaN, Infinity, -1, '1200', 1n, new Date()])('C15 refuses to snooze for %p', (delay) => {
    expect(() => TaskOutcome.snooze(delay as number)).toThrow(InvalidArgumentError);
    expect(() => TaskOutcome.snooze(delay as number)).toThrow(field('delay'));
  });

  it.each([null, NaN, Infinity, -1, '1200', 1n, new Date()])('C15 refuses to retry after %p', (delay) => {
    expect(() => TaskOutcome.retry({ delay: delay as number })).toThrow(field('delay'));
  });

  it.each<unknown>([null, '5s', 5_000])('refuses %p for the options of a retry', (options) => {
    expect(() => TaskOutcome.retry(options as object)).toThrow(field('options'));
  });

  it.each([undefined, null, '', 7, new Error('x')])('refuses to bury for the reason %p', (reason) => {
    expect(() => TaskOutcome.bury(reason as string)).toThrow(field('reason'));
  });

  it('C28 cuts a long reason, and makes it well-formed', () => {
    const decision = TaskOutcome.bury('é'.repeat(100_000)).decision as { reason: string };
    expect(Buffer.byteLength(decision.reason)).toBeLessThanOrEqual(MAX_REASON_BYTES);
    expect(decision.reason).toMatch(/^é{500,}…$/);
    expect(TaskOutcome.bury('a\ud83d').decision).toMatchObject({ reason: 'a\ufffd' });
  });
});
