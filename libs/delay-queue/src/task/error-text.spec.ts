import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { errorText, MAX_ERROR_BYTES } from './error-text.js';

describe('errorText', () => {
  it('gives the stack of an error', () => {
    const error = new TypeError('no such order');
    expect(errorText(error)).toBe(error.stack);
    expect(errorText(error)).toMatch(/^TypeError: no such order\n\s+at /);
  });

  it.each([undefined, '', 42, {}])('gives name and message when the stack is %p', (stack) => {
    const error = Object.defineProperty(new RangeError('no such order'), 'stack', { value: stack });
    expect(errorText(error)).toBe('RangeError: no such order');
  });

  it('tells what caused it, and what caused that', () => {
    const root = new Error('connect ECONNREFUSED 127.0.0.1:5432');
    const middle = new Error('no connection', { cause: root });
    const text = errorText(new TypeError('fetch failed', { cause: middle }));
    const order = [
      'TypeError: fetch failed',
      'Caused by: Error: no connection',
      'Caused by: Error: connect ECONNREFUSED',
    ];
    expect(order.map((part) => text.indexOf(part)).every((at, index, all) => at > (all[index - 1] ?? -1))).toBe(true);
    expect(errorText(new Error('x', { cause: 'a text' }))).toMatch(/\nCaused by: a text$/);
    expect(errorText(new Error('x', { cause: null }))).toMatch(/\nCaused by: null$/);
  });

  it('ends a chain of causes that leads back to itself', () => {
    const error = Object.defineProperty(new Error('loop'), 'stack', { value: 'Error: loop' });
    error.cause = error;
    expect(errorText(error)).toBe(['Error: loop', 'Error: loop', 'Error: loop', 'Error: loop'].join('\nCaused by: '));
  });

  it.each([
    ['text', 'text'],
    ['', ''],
    [undefined, 'undefined'],
    [null, 'null'],
    [42, '42'],
    [1n, '1n'],
    [Symbol('s'), 'Symbol(s)'],
    [{ code: 404, at: { url: '/x' } }, "{ code: 404, at: { url: '/x' } }"],
    [[1, 2], '[ 1, 2 ]'],
    [() => 1, '[Function (anonymous)]'],
    [new Map([['a', 1]]), "Map(1) { 'a' => 1 }"],
    [Object.create(null), '[Object: null prototype] {}'],
  ])('C31 describes the thrown value %p', (thrown, expected) => {
    expect(errorText(thrown)).toBe(expected);
  });

  it('C31 describes what is circular', () => {
    const circular: Record<string, unknown> = { a: 1 };
    circular['self'] = circular;
    expect(errorText(circular)).toBe('<ref *1> { a: 1, self: [Circular *1] }');
  });

  it('describes deep objects to the third level', () => {
    expect(errorText({ a: { b: { c: { d: { e: 1 } } } } }).replaceAll(/\s+/g, ' ')).toBe(
      '{ a: { b: { c: { d: [Object] } } } }',
    );
  });

  it('describes wide objects in one line', () => {
    const text = errorText({ first: 'a'.repeat(60), second: 'b'.repeat(60), third: 'c'.repeat(60) });
    expect(text).not.toContain('\n');
  });

  it.each(['stack', 'cause'])('does not throw when the %s of an error does', (property) => {
    const get = (): never => {
      throw new Error('no');
    };
    const error = Object.defineProperty(new Error('x'), property, { get });
    expect(errorText(error)).toBe('an error that cannot be described');
  });

  it('does not throw when what it describes cannot be looked at', () => {
    const { proxy, revoke } = Proxy.revocable(new Error('x'), {});
    revoke();
    expect(errorText(proxy)).toBe('an error that cannot be described');
    const hostile = {
      [Symbol.for('nodejs.util.inspect.custom')]() {
        throw new Error('no');
      },
    };
    expect(errorText(hostile)).toBe('an error that cannot be described');
  });

  it('C28 keeps at most 4,096 bytes of UTF-8, with the beginning and an ellipsis', () => {
    expect(MAX_ERROR_BYTES).toBe(4_096);
    for (const huge of ['é'.repeat(100_000), new Error('é'.repeat(100_000)), { text: 'é'.repeat(100_000) }]) {
      const text = errorText(huge);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_ERROR_BYTES);
      expect(Buffer.byteLength(text)).toBeGreaterThan(MAX_ERROR_BYTES - 4);
      expect(text).toMatch(/^(Error: |\{ text: ')?é+…$/);
    }
  });

  it('C28 never throws and never exceeds the limit, whatever is thrown', () => {
    const thrown = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withNullPrototype: true,
    });
    fc.assert(
      fc.property(thrown, fc.boolean(), (value, wrap) => {
        const text = errorText(wrap ? new Error('wrapped', { cause: value }) : value);
        return Buffer.byteLength(text) <= MAX_ERROR_BYTES && text.isWellFormed();
      }),
    );
  });
});
