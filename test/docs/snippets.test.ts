import { beforeAll, describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileSnippets, type SnippetSource } from './compile-snippets.js';
import { type CodeBlock, readBlocks } from './markdown.js';

const root = join(import.meta.dirname, '../..');
const markdownIn = (folder: string) => readdirSync(join(root, folder)).filter((name) => name.endsWith('.md'));
const documents = [...markdownIn('.'), ...markdownIn('docs').map((name) => `docs/${name}`)];

const sources: readonly SnippetSource[] = documents.map((document) => ({
  document,
  blocks: readBlocks(readFileSync(join(root, document), 'utf8')).filter(
    (block): block is CodeBlock => block.kind === 'code' && /^(ts|typescript)$/.test(block.language),
  ),
}));

const snippetsOf = (name: string) => sources.find(({ document }) => document === name)?.blocks ?? [];

/** A document that no one has written, to see that errors are seen. */
const WRONG: SnippetSource = {
  document: 'WRONG.md',
  blocks: [
    "import { DelayQueueProducer } from 'nestjs-delay-queue';\nconst producer: DelayQueueProducer = 'wrong';",
    "@OnDelayedTask('charge')\nasync handle(payload: { orderId: string }): Promise<number> {\n  return this.length(payload, none);\n}",
    '// given.ts\nexport const given = 1;',
    "import { given } from './given.js';\nconst text: string = given;",
  ].map((text) => ({ kind: 'code', language: 'ts', text, line: 10 })),
};

describe('the TypeScript in the documents', () => {
  let errors: readonly string[];

  beforeAll(() => {
    errors = compileSnippets([...sources, WRONG]);
  }, 180_000);

  it('is found', () => {
    expect(snippetsOf('README.md').length).toBeGreaterThanOrEqual(4);
    expect(snippetsOf('README.zh-CN.md')).toHaveLength(snippetsOf('README.md').length);
  });

  it('compiles, all of it as one program', () => {
    expect(errors.filter((error) => !error.startsWith(WRONG.document))).toEqual([]);
  });

  it('would not compile if it were wrong: the error names the document and the line', () => {
    expect(errors.filter((error) => error.startsWith(WRONG.document))).toEqual([
      "WRONG.md:11 TS2322: Type 'string' is not assignable to type 'DelayQueueProducer'.",
      "WRONG.md:12 TS2304: Cannot find name 'none'.",
      "WRONG.md:11 TS2322: Type 'number' is not assignable to type 'string'.",
    ]);
  });
});
