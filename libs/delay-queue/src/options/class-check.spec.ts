import 'reflect-metadata';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { Transform, Type } from 'class-transformer';
import { IsDate, IsInt, IsString, registerDecorator, ValidateNested } from 'class-validator';
import { ConfigurationError } from '../core/errors.js';
import type { PayloadCheck } from '../task/payload-check.js';
import { classCheck } from './class-check.js';
import { type ClassPackages, loadClassPackages } from './class-packages.js';
import type { PayloadClass } from './payload-schema.js';

class Item {
  @IsInt()
  count!: number;
}

class Base {
  @IsString()
  to!: string;
}

class Reminder extends Base {
  @Type(() => Date)
  @IsDate()
  at!: Date;

  @Type(() => Item)
  @ValidateNested({ each: true })
  items!: Item[];
}

const AT = '2025-01-01T00:00:00.000Z';
let packages: ClassPackages;

beforeAll(async () => {
  packages = await loadClassPackages('schema');
});

const checkOf = (target: PayloadClass): PayloadCheck => classCheck(target, packages, 'types.t.schema');

describe('the check of a class', () => {
  it('makes an instance of a valid payload, with what class-transformer makes of its properties', async () => {
    const verdict = await checkOf(Reminder)({ to: 'a', at: AT, items: [{ count: 1 }] });
    if (verdict.kind === 'invalid') throw new Error(JSON.stringify(verdict.issues));
    expect(verdict.payload).toBeInstanceOf(Reminder);
    expect(verdict.payload).toEqual({ to: 'a', at: new Date(AT), items: [{ count: 1 }] });
    expect((verdict.payload as Reminder).items[0]).toBeInstanceOf(Item);
  });

  it('names the path of each issue, in nested objects too', async () => {
    const payload = { at: AT, items: [{ count: 1 }, { count: 1.5 }] };
    expect(await checkOf(Reminder)(payload)).toEqual({
      kind: 'invalid',
      issues: [
        { path: 'payload.items[1].count', message: 'count must be an integer number' },
        { path: 'payload.to', message: 'to must be a string' },
      ],
    });
  });

  it.each([null, 'text', 7, true, [], [{ to: 'a' }]].map((payload) => [payload]))('refuses %p', async (payload) => {
    expect(await checkOf(Base)(payload)).toEqual({
      kind: 'invalid',
      issues: [{ path: 'payload', message: 'must be an object' }],
    });
  });

  it('waits for rules that answer later', async () => {
    class Late {
      to!: string;
    }
    registerDecorator({
      target: Late,
      propertyName: 'to',
      async: true,
      validator: { validate: async (value) => value === 'right', defaultMessage: () => 'is wrong' },
    });
    expect(await checkOf(Late)({ to: 'wrong' })).toMatchObject({
      issues: [{ path: 'payload.to', message: 'is wrong' }],
    });
    expect(await checkOf(Late)({ to: 'right' })).toMatchObject({ kind: 'valid' });
  });

  it('is not taken in by a payload that brings a prototype or constructor', async () => {
    const payload: unknown = JSON.parse('{"__proto__":{"to":"a"},"constructor":{"prototype":{"to":"a"}}}');
    expect(await checkOf(Base)(payload)).toMatchObject({ kind: 'invalid', issues: [{ path: 'payload.to' }] });
  });

  it('rejects when the class throws: that says nothing about the payload', async () => {
    class Throwing {
      @Transform(() => {
        throw new Error('broken');
      })
      @IsString()
      to!: string;
    }
    await expect(checkOf(Throwing)({ to: 'a' })).rejects.toThrow('broken');
  });

  it('is not made of a class without rules, which would refuse everything', () => {
    class Bare {}
    expect(() => checkOf(Bare)).toThrow(ConfigurationError);
    expect(() => checkOf(Bare)).toThrow(/^types\.t\.schema: is the class Bare, whose properties carry no decorator/);
  });
});
