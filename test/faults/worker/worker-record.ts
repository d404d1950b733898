import { constants, openSync, writeSync } from 'node:fs';
import type { RecordEntry } from './record-entry.js';

/** The append-only file in which a worker writes down what happens; what was written survives the process's death. */
export class WorkerRecord {
  private readonly file: number;

  constructor(path: string) {
    this.file = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND);
  }

  add(entry: RecordEntry): void {
    writeSync(this.file, JSON.stringify(entry) + '\n');
  }
}
