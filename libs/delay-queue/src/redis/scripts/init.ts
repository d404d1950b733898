import { lua, type ScriptSource } from './prelude.js';

/**
 * Begins a partition's epoch where there is none.
 *
 * KEYS: the ten of the partition.
 *
 * ARGV: none.
 *
 * Returns: 1 if the epoch was absent, else 0.
 *
 * Afterwards: `fence` exists; it holds the time in µs if it was absent.
 */
export const INIT: ScriptSource = {
  parts: [],
  body: lua`
return call('SET', FENCE, int(nowUs), 'NX') and 1 or 0`,
};
