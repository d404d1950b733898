import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Block, type CodeBlock, readBlocks, type Table } from './markdown.js';

const root = join(import.meta.dirname, '../..');
const read = (name: string) => readBlocks(readFileSync(join(root, name), 'utf8'));

const english = read('README.md');
const chinese = read('README.zh-CN.md');

const isTable = (block: Block): block is Table => block.kind === 'table';
const isCode = (block: Block): block is CodeBlock => block.kind === 'code';

/** A block without what is translated. */
function outline(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return '#'.repeat(block.level);
    case 'code':
      return `code ${block.language}`;
    case 'table':
      return `table of ${block.rows.length} rows`;
    default:
      return block satisfies never;
  }
}

/** Code without its comments, which are translated. */
function withoutComments({ text }: CodeBlock): readonly string[] {
  const lines = text.split('\n').map((line) => line.replace(/(^|\s)(\/\/|#) .*$/, '').trimEnd());
  return lines.filter((line) => line !== '');
}

/** The code that stands in a cell, such as the name of an option or its default. */
const codeIn = (cell: string | undefined): readonly string[] => (cell ?? '').match(/`[^`]+`/g) ?? [];

describe('the README in English and in Chinese', () => {
  it('have the same sections, tables and blocks of code, in the same order', () => {
    expect(chinese.map(outline)).toEqual(english.map(outline));
  });

  it('show the same code', () => {
    expect(chinese.filter(isCode).map(withoutComments)).toEqual(english.filter(isCode).map(withoutComments));
  });

  it('name the same options, with the same defaults', () => {
    const firstCells = (blocks: readonly Block[]) =>
      blocks.filter(isTable).map(({ rows }) => rows.map(([name, byDefault]) => [codeIn(name), codeIn(byDefault)]));
    expect(firstCells(chinese)).toEqual(firstCells(english));
  });
});
