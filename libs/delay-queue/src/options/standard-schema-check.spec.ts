import { describe, expect, it } from '@jest/globals';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import { type } from 'arktype';
import * as valibot from 'valibot';
import { z } from 'zod';
import { standardSchemaCheck } from './standard-schema-check.js';

const SCHEMAS: [string, StandardSchemaV1][] = [
  ['zod', z.object({ to: z.string(), items: z.array(z.object({ count: z.number() })).default([]) })],
  [
    'valibot',
    valibot.object({
      to: valibot.string(),
      items: valibot.optional(valibot.array(valibot.object({ count: valibot.number() })), []),
    }),
  ],
  [
    'arktype',
    type({
      to: 'string',
      items: type({ count: 'number' })
        .array()
        .default(() => []),
    }),
  ],
];

const answering = (answer: unknown): StandardSchemaV1 => ({
  '~standard': { version: 1, vendor: 'test', validate: () => answer as StandardSchemaV1.Result<unknown> },
});

describe.each(SCHEMAS)('the check of a schema of %s', (_, schema) => {
  const check = standardSchemaCheck(schema);

  it('gives what the schema makes of a payload', () => {
    expect(check({ to: 'a' })).toEqual({ kind: 'valid', payload: { to: 'a', items: [] } });
  });

  it('names the path of each issue', () => {
    expect(check({ to: 1, items: [{ count: 1 }, { count: 'x' }] })).toEqual({
      kind: 'invalid',
      issues: [
        { path: 'payload.to', message: expect.any(String) },
        { path: 'payload.items[1].count', message: expect.any(String) },
      ],
    });
  });

  it('names the payload itself when all of it is wrong', () => {
    expect(check('text')).toMatchObject({ kind: 'invalid', issues: [{ path: 'payload' }] });
  });
});

describe('the check of a Standard Schema', () => {
  it('waits for a schema that answers later', async () => {
    const check = standardSchemaCheck(z.string().refine(async (text) => text === 'right', 'is wrong'));
    const late = check('wrong');
    expect(late).toBeInstanceOf(Promise);
    expect(await late).toEqual({ kind: 'invalid', issues: [{ path: 'payload', message: 'is wrong' }] });
    expect(await check('right')).toEqual({ kind: 'valid', payload: 'right' });
  });

  it('takes anything that can be awaited for a promise', async () => {
    // oxlint-disable-next-line unicorn/no-thenable -- what a library's own kind of promise looks like
    const thenable = { then: (resolve: (result: unknown) => void) => resolve({ value: 7 }) };
    expect(await standardSchemaCheck(answering(thenable))(1)).toEqual({ kind: 'valid', payload: 7 });
  });

  it('takes a list of issues for a refusal, also an empty one', () => {
    expect(standardSchemaCheck(answering({ issues: [] }))(1)).toEqual({ kind: 'invalid', issues: [] });
  });

  it('reads both forms of a path', () => {
    const issues = [{ message: 'm', path: [{ key: 'a' }, 0, 'b', Symbol('s')] }];
    expect(standardSchemaCheck(answering({ issues }))(1)).toEqual({
      kind: 'invalid',
      issues: [{ path: 'payload.a[0].b.Symbol(s)', message: 'm' }],
    });
  });

  it('lets a schema throw, at once or later', async () => {
    const broken = (): never => {
      throw new Error('away');
    };
    const schema: StandardSchemaV1 = { '~standard': { version: 1, vendor: 'test', validate: broken } };
    expect(() => standardSchemaCheck(schema)('x')).toThrow('away');
    // zod takes an error for a sign that it must answer later, and tries again.
    await expect(standardSchemaCheck(z.string().refine(broken))('x')).rejects.toThrow('away');
  });
});
