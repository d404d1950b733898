/** A fenced block of code. */
export interface CodeBlock {
  readonly kind: 'code';
  /** What stands behind the fence: `ts`, `sh` … */
  readonly language: string;
  readonly text: string;
  /** Line of the file, from 1 on, in which the text begins. */
  readonly line: number;
}

/** A table, cell by cell, its line of dashes left out. */
export interface Table {
  readonly kind: 'table';
  readonly rows: readonly (readonly string[])[];
}

/** A heading; what it says depends on the language of the text. */
export interface Heading {
  readonly kind: 'heading';
  readonly level: number;
}

/** What is told apart in a Markdown file; all else is prose. */
export type Block = CodeBlock | Table | Heading;

/** Reads the blocks of a Markdown file, in their order. */
export function readBlocks(markdown: string): readonly Block[] {
  const lines = markdown.split('\n');
  const blocks: Block[] = [];
  for (let index = 0; index < lines.length;) {
    const block = blockAt(lines, index);
    if (block !== null) blocks.push(block.block);
    index = block?.end ?? index + 1;
  }
  return blocks;
}

interface FoundBlock {
  readonly block: Block;
  /** Index of the line behind it. */
  readonly end: number;
}

function blockAt(lines: readonly string[], index: number): FoundBlock | null {
  const line = lines[index] ?? '';
  const fence = /^```(\w*)/.exec(line);
  if (fence !== null) return codeAt(lines, index, fence[1] ?? '');
  const heading = /^(#+) /.exec(line);
  if (heading !== null) return { block: { kind: 'heading', level: heading[1]?.length ?? 0 }, end: index + 1 };
  return line.startsWith('|') ? tableAt(lines, index) : null;
}

function codeAt(lines: readonly string[], start: number, language: string): FoundBlock {
  const end = lines.indexOf('```', start + 1);
  if (end === -1) throw new Error(`line ${start + 1}: the block of code has no end`);
  return {
    block: { kind: 'code', language, text: lines.slice(start + 1, end).join('\n'), line: start + 2 },
    end: end + 1,
  };
}

function tableAt(lines: readonly string[], start: number): FoundBlock {
  const length = lines.slice(start).findIndex((line) => !line.startsWith('|'));
  const end = length === -1 ? lines.length : start + length;
  const rows = lines.slice(start, end).map(cellsOf);
  return { block: { kind: 'table', rows: rows.filter((cells) => !cells.every((cell) => /^:?-+:?$/.test(cell))) }, end };
}

function cellsOf(line: string): readonly string[] {
  // A bar inside a cell is written with a backslash.
  return line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());
}
