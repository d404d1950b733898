import { describe, expect, it } from '@jest/globals';
import { type Mark, MarkTable } from './mark-table.js';

const doneUntil = (endMs: number): Mark => ({ kind: 'done', endMs, result: null });

describe('MarkTable', () => {
  it('takes a mark for absent from its end on', () => {
    const table = new MarkTable();
    table.set('a', doneUntil(10), 0);
    expect(table.get('a', 9)).toEqual(doneUntil(10));
    expect(table.get('a', 10)).toBeNull();
    expect(table.get('b', 0)).toBeNull();
  });

  it('frees the memory of marks that are over with each one that is written, at most 100', () => {
    const table = new MarkTable();
    for (let number = 0; number < 250; number++) table.set(`over ${number}`, doneUntil(10), 0);
    expect(table.size).toBe(250);
    table.set('new', doneUntil(100), 10);
    expect(table.size).toBe(151);
    table.set('new', doneUntil(200), 10);
    table.set('new', doneUntil(300), 10);
    expect(table.size).toBe(1);
    expect(table.get('new', 299)).toEqual(doneUntil(300));
    table.delete('new');
    expect(table.size).toBe(0);
  });
});
