import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { RecordEntry, Recorded } from '../worker/record-entry.js';

const CHUNK_BYTES = 65_536;

/** Entries of one kind. */
export type EntryAt<Kind extends RecordEntry['at']> = Recorded<Extract<RecordEntry, { at: Kind }>>;

interface OpenFile {
  readonly label: string;
  readonly descriptor: number;
  /** Bytes behind the last whole line. */
  rest: Buffer;
}

/** Reads the records of all workers, as they grow. */
export class RecordReader {
  private readonly files = new Map<string, OpenFile>();
  private readonly byKind = new Map<RecordEntry['at'], Recorded[]>();

  constructor(private readonly folder: string) {}

  /** All entries of one kind up to now; those of one process are in order. */
  of<Kind extends RecordEntry['at']>(kind: Kind): readonly EntryAt<Kind>[] {
    this.readAll();
    return (this.byKind.get(kind) ?? []) as EntryAt<Kind>[];
  }

  close(): void {
    for (const { descriptor } of this.files.values()) closeSync(descriptor);
    this.files.clear();
  }

  private readAll(): void {
    for (const name of readdirSync(this.folder)) {
      if (name.endsWith('.jsonl') && !this.files.has(name)) this.open(name);
    }
    for (const file of this.files.values()) this.readOn(file);
  }

  private open(name: string): void {
    const descriptor = openSync(join(this.folder, name), 'r');
    this.files.set(name, { label: name.replace(/\.jsonl$/, ''), descriptor, rest: Buffer.alloc(0) });
  }

  private readOn(file: OpenFile): void {
    for (;;) {
      const chunk = Buffer.alloc(CHUNK_BYTES);
      const size = readSync(file.descriptor, chunk, 0, CHUNK_BYTES, null);
      if (size === 0) return;
      this.takeLines(file, Buffer.concat([file.rest, chunk.subarray(0, size)]));
    }
  }

  private takeLines(file: OpenFile, bytes: Buffer): void {
    const end = bytes.lastIndexOf('\n') + 1;
    file.rest = bytes.subarray(end);
    const lines = bytes.subarray(0, end).toString().split('\n');
    for (const line of lines) {
      if (line !== '') this.add({ ...(JSON.parse(line) as RecordEntry), by: file.label });
    }
  }

  private add(entry: Recorded): void {
    const sameKind = this.byKind.get(entry.at);
    if (sameKind === undefined) this.byKind.set(entry.at, [entry]);
    else sameKind.push(entry);
  }
}
