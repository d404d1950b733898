import { lua, type ScriptSource } from './prelude.js';
import { DONE_MARK_ENTRY, MARK_ENTRY } from './mark-entry.js';

/**
 * Turns a mark in progress into a done one.
 *
 * KEYS: 1 the mark, STRING.
 *
 * ARGV: 1 owner; 2 fence; 3 time until the done mark is forgotten, ms; 4 result, empty for none.
 *
 * Returns: `a` applied, `d` there was a done mark before, `l` the mark in progress is somebody else's.
 *
 * Afterwards: with `a`, the mark is done; else nothing is changed. It goes through on a full server, because a removal
 * stands before it.
 */
export const MARK_FINISH: ScriptSource = {
  parts: [MARK_ENTRY, DONE_MARK_ENTRY],
  body: lua`
local key = KEYS[1]
local mark = readMark(key)
if mark and mark.done then return 'd' end
if mark and not isOwn(mark, ARGV[1], ARGV[2]) then return 'l' end
call('DEL', key)
writeDone(key, ARGV[3], ARGV[4])
return 'a'`,
};
