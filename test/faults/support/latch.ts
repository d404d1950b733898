import { writeFileSync } from 'node:fs';

/** Something that blocked handlers of other processes wait for: a file that is there or not. */
export class Latch {
  constructor(readonly path: string) {}

  open(): void {
    writeFileSync(this.path, '');
  }
}
