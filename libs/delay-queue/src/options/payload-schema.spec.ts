import { describe, expect, it } from '@jest/globals';
import { type } from 'arktype';
import * as valibot from 'valibot';
import { z } from 'zod';
import { isPayloadClass, isPayloadSchema, isStandardSchema } from './payload-schema.js';

class Payload {}

describe('isPayloadSchema', () => {
  it.each([
    ['zod', z.string()],
    ['valibot', valibot.string()],
    ['arktype, whose schemas are functions', type('string')],
  ])('takes a schema of %s', (_, schema) => {
    expect(isStandardSchema(schema)).toBe(true);
    expect(isPayloadClass(schema)).toBe(false);
    expect(isPayloadSchema(schema)).toBe(true);
  });

  it('takes a class', () => {
    expect(isPayloadClass(Payload)).toBe(true);
    expect(isPayloadSchema(Payload)).toBe(true);
  });

  it.each<[unknown]>([
    [undefined],
    [null],
    [{}],
    ['string'],
    [() => true],
    [new Payload()],
    [{ '~standard': { version: 2, vendor: 'x', validate: () => ({ value: 1 }) } }],
    [{ '~standard': { version: 1, vendor: 'x' } }],
    [{ '~standard': null }],
  ])('refuses %p', (value) => {
    expect(isPayloadSchema(value)).toBe(false);
  });
});
