import { beforeEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { type OptionsPlace, TypeOptionsBook } from './type-options-book.js';

const ROOT: OptionsPlace = { path: 'types', name: 'forRoot' };
const ORDERS: OptionsPlace = { path: 'forFeature(OrdersModule).types', name: 'forFeature of OrdersModule' };

let book: TypeOptionsBook;

beforeEach(() => {
  book = new TypeOptionsBook();
});

describe('TypeOptionsBook', () => {
  it('puts together what several places say about different options', () => {
    const schema = z.string();
    book.add('a', { partitions: 4 }, ROOT);
    book.add('a', { schema, version: undefined }, ORDERS);
    book.add('b', {}, ORDERS);
    expect(book.get('a')).toEqual({ partitions: 4, schema });
    expect(book.get('b')).toEqual({});
    expect(book.get('c')).toEqual({});
    expect(book.names).toEqual(['a', 'b']);
  });

  it('takes the same setting twice', () => {
    const same = { schema: z.string(), upcast: { 1: String }, version: 2 };
    const plain = () => ({ deadLetters: { max: 7 }, backoff: { type: 'fixed', delayMs: 1, jitter: 0 } as const });
    book.add('a', { ...same, ...plain() }, ROOT);
    book.add('a', { ...same, ...plain() }, ORDERS);
    expect(book.get('a')).toEqual({ ...same, ...plain() });
  });

  it('names both places, and both values, of a contradiction', () => {
    book.add('a', { partitions: 4 }, ROOT);
    const problem =
      'forFeature(OrdersModule).types.a.partitions: is 4 in forRoot and 8 in forFeature of OrdersModule: ' +
      'a type has one setting, wherever it stands';
    expect(() => book.add('a', { partitions: 8 }, ORDERS)).toThrow(
      expect.objectContaining({
        code: 'configuration',
        field: 'forFeature(OrdersModule).types.a.partitions',
        message: problem,
      }),
    );
    expect(book.get('a')).toEqual({ partitions: 4 });
  });

  it.each([
    ['schemas', { schema: z.string() }, { schema: z.string() }],
    ['steps', { upcast: { 1: () => 1 } }, { upcast: { 1: () => 1 } }],
  ])('cannot tell whether two %s mean the same, and refuses', (_, left, right) => {
    book.add('a', left, ROOT);
    expect(() => book.add('a', right, ORDERS)).toThrow(
      'is set in forRoot and differently in forFeature of OrdersModule',
    );
  });

  it('knows where an option was first set', () => {
    book.add('a', { partitions: 4 }, ORDERS);
    expect(book.pathOf('a', 'partitions')).toBe('forFeature(OrdersModule).types.a.partitions');
    expect(book.pathOf('a', 'schema')).toBe('types.a.schema');
  });
});
