import { lua, type ScriptSource } from './prelude.js';
import { MARK_ENTRY } from './mark-entry.js';

/**
 * Gives a mark in progress another end.
 *
 * KEYS: 1 the mark, STRING.
 *
 * ARGV: 1 owner; 2 fence; 3 time until the mark is over, ms.
 *
 * Returns: 1 if it was the owner's, or over and not begun since; else 0.
 *
 * Afterwards: with 1, the mark is the owner's and over at the new end; with 0 nothing is changed. It goes through on a full
 * server, because a removal stands before it.
 */
export const MARK_EXTEND: ScriptSource = {
  parts: [MARK_ENTRY],
  body: lua`
local key, owner, fence = KEYS[1], ARGV[1], ARGV[2]
local mark = readMark(key)
if mark and (mark.done or not isOwn(mark, owner, fence)) then return 0 end
call('DEL', key)
writeProgress(key, { owner = owner, fence = fence, holdMs = ARGV[3] })
return 1`,
};
