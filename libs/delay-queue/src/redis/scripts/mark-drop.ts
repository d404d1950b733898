import { lua, type ScriptSource } from './prelude.js';
import { MARK_ENTRY } from './mark-entry.js';

/**
 * Removes a mark in progress.
 *
 * KEYS: 1 the mark, STRING.
 *
 * ARGV: 1 owner; 2 fence.
 *
 * Returns: 1 if it was the owner's, else 0.
 *
 * Afterwards: with 1, there is no mark; with 0 nothing is changed.
 */
export const MARK_DROP: ScriptSource = {
  parts: [MARK_ENTRY],
  body: lua`
local mark = readMark(KEYS[1])
if not mark or mark.done or not isOwn(mark, ARGV[1], ARGV[2]) then return 0 end
call('DEL', KEYS[1])
return 1`,
};
