import { describe, expect, it } from '@jest/globals';
import { payloadPath } from './payload-check.js';

describe('payloadPath', () => {
  it.each<[readonly PropertyKey[], string]>([
    [[], 'payload'],
    [['orderId'], 'payload.orderId'],
    [['items', 2, 'price'], 'payload.items[2].price'],
    // As class-validator names the elements of an array.
    [['items', '2', 'price'], 'payload.items[2].price'],
    [['01'], 'payload.01'],
    [[Symbol('s')], 'payload.Symbol(s)'],
  ])('writes %j as other errors do: %s', (keys, path) => {
    expect(payloadPath(keys)).toBe(path);
  });
});
