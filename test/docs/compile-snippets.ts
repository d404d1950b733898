import { join } from 'node:path';
import ts from 'typescript';
import { givenImports } from './given-imports.js';
import type { CodeBlock } from './markdown.js';

/** A document and the TypeScript that it shows. */
export interface SnippetSource {
  /** Path below the root. */
  readonly document: string;
  readonly blocks: readonly CodeBlock[];
}

interface SnippetFile {
  readonly path: string;
  readonly text: string;
  readonly source: string;
  /** Line of the document in which the text begins. */
  readonly line: number;
}

const root = join(import.meta.dirname, '../..');

/** Where the snippets would stand if they were files: below the root, so that they find its packages. */
const SNIPPETS = join(import.meta.dirname, 'snippets');
const PRELUDE = join(import.meta.dirname, 'prelude.d.mts');

/** Snippets are shown to be read: what they do not use, others do. */
const OPTIONS: ts.CompilerOptions = { noUnusedLocals: false, noUnusedParameters: false, declaration: false };

/**
 * Compiles all snippets as one program, each as a file of its own, and returns what the compiler says about them.
 *
 * A snippet whose first line is a comment with a file's name is that file, so that others of the document can import it. A
 * snippet of nothing but members of a class gets a class around it.
 */
export function compileSnippets(sources: readonly SnippetSource[]): readonly string[] {
  const files = new Map(sources.flatMap(filesOf).map((file) => [file.path, file]));
  const { options } = ts.getParsedCommandLineOfConfigFile(join(root, 'tsconfig.json'), OPTIONS, {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: ({ messageText }) => {
      throw new Error(ts.flattenDiagnosticMessageText(messageText, '\n'));
    },
  }) ?? { options: OPTIONS };
  const program = ts.createProgram([...files.keys(), PRELUDE], options, hostOf(files, options));
  return [...files.values()].flatMap((file) => {
    const sourceFile = program.getSourceFile(file.path);
    const found = [...program.getSyntacticDiagnostics(sourceFile), ...program.getSemanticDiagnostics(sourceFile)];
    return found.map((diagnostic) => describe(diagnostic, file));
  });
}

function filesOf({ document, blocks }: SnippetSource): readonly SnippetFile[] {
  const folder = join(SNIPPETS, document);
  return blocks.map(({ text, line }, index) => {
    const name = /^\/\/ ([\w.-]+\.ts)\b/.exec(text)?.[1] ?? `snippet-${index}.ts`;
    return { path: join(folder, name), text: name.endsWith('.d.ts') ? text : asModule(text), source: document, line };
  });
}

/** Without an import or export a file is a script, which must not wait and shares its names with all others. */
function asModule(text: string): string {
  // On the first line, so that all lines keep their numbers. What members a fragment does not show is its own affair.
  const whole = isWhole(text) ? text : `class Snippet { readonly [member: string]: any; ${text}\n}`;
  return `${givenImports(text)}${whole}\nexport {};\n`;
}

function isWhole(text: string): boolean {
  const compilerOptions = {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.ESNext,
    experimentalDecorators: true,
  };
  return ts.transpileModule(text, { compilerOptions, reportDiagnostics: true }).diagnostics?.length === 0;
}

/** Reads the snippets from memory, and everything else from the disk. */
function hostOf(files: ReadonlyMap<string, SnippetFile>, options: ts.CompilerOptions): ts.CompilerHost {
  const host = ts.createCompilerHost(options);
  const readFile = (path: string) => files.get(path)?.text ?? host.readFile(path);
  return {
    ...host,
    readFile,
    fileExists: (path) => files.has(path) || host.fileExists(path),
    directoryExists: (path) => path.startsWith(SNIPPETS) || ts.sys.directoryExists(path),
    getSourceFile: (path, languageVersion) => {
      const text = readFile(path);
      return text === undefined ? undefined : ts.createSourceFile(path, text, languageVersion);
    },
  };
}

function describe({ file, start = 0, code, messageText }: ts.Diagnostic, { source, line }: SnippetFile): string {
  const offset = file?.getLineAndCharacterOfPosition(start).line ?? 0;
  return `${source}:${line + offset} TS${code}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
}
