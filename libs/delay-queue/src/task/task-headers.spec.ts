import { describe, expect, it } from '@jest/globals';
import { InvalidArgumentError } from '../core/errors.js';
import { NO_HEADERS, readTaskHeaders } from './task-headers.js';

function refusal(headers: unknown): InvalidArgumentError {
  try {
    readTaskHeaders(headers);
  } catch (error) {
    if (error instanceof InvalidArgumentError) return error;
    throw error;
  }
  throw new Error('expected an InvalidArgumentError');
}

describe('readTaskHeaders', () => {
  it('copies texts, whatever their names', () => {
    const given = { tenant: 'acme', 'x-request-id': '', 'ü:{}': '😀' };
    const read = readTaskHeaders(given);
    given.tenant = 'other';
    expect(read).toEqual({ tenant: 'acme', 'x-request-id': '', 'ü:{}': '😀' });
    expect(JSON.stringify(readTaskHeaders(JSON.parse('{"__proto__":"a"}')))).toBe('{"__proto__":"a"}');
    expect(readTaskHeaders(Object.assign(Object.create(null), { a: 'b' }))).toEqual({ a: 'b' });
  });

  it.each([[undefined], [{}]])('has one value for none: %p', (headers) => {
    expect(readTaskHeaders(headers)).toBe(NO_HEADERS);
  });

  it.each<[string, unknown]>([
    ['null', null],
    ['a text', 'tenant=acme'],
    ['an array', ['acme']],
    ['a Map', new Map([['tenant', 'acme']])],
    ['the headers of a request', new Headers({ tenant: 'acme' })],
    ['an empty name', { '': 'a' }],
    ['a name with a lone surrogate', { '\ud800': 'a' }],
  ])('refuses %s', (_, headers) => {
    expect(refusal(headers).field).toBe('headers');
  });

  it.each<[string, unknown, string]>([
    ['a number', { a: 'x', retries: 3 }, 'headers.retries'],
    ['undefined', { tenant: undefined }, 'headers.tenant'],
    ['null', { tenant: null }, 'headers.tenant'],
    ['a lone surrogate', { tenant: '\udfff' }, 'headers.tenant'],
    ["a name of the queue's own", { 'delay-queue-ledger-check': '1' }, 'headers.delay-queue-ledger-check'],
  ])('refuses %s by name', (_, headers, field) => {
    expect(refusal(headers).field).toBe(field);
  });
});
