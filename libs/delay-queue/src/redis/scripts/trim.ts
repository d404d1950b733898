import { lua, type ScriptSource, TRIMS } from './prelude.js';

/**
 * Removes outdated dead letters, then done marks.
 *
 * KEYS: the ten of the partition.
 *
 * ARGV: 1 age from which dead letters are outdated, ms; 2 number of dead letters kept.
 *
 * Returns: how many entries were removed, at most 100.
 *
 * Afterwards: that many dead letters, oldest first, and done marks whose window is over are gone.
 */
export const TRIM: ScriptSource = {
  parts: [TRIMS],
  body: lua`
local removed = trimDead(tonumber(ARGV[1]), tonumber(ARGV[2]))
return removed + trimDone(TRIMMED_PER_CALL - removed)`,
};
