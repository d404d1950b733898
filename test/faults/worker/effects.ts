import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';

/** Effects that can be had once only: each is a file that is made under the condition that it does not exist. */
export class Effects {
  constructor(private readonly folder: string) {}

  /** Makes the effect of one life of a task; false if it was made before, by whichever process. */
  make(type: string, id: string, life: string): boolean {
    try {
      closeSync(openSync(join(this.folder, effectName(type, id, life)), 'wx'));
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    }
  }
}

/** Name of an effect's file. */
export function effectName(type: string, id: string, life: string): string {
  return [type, id, life].map(encodeURIComponent).join('~');
}
