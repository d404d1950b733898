import { lua, type ScriptSource } from './prelude.js';
import { MARK_ENTRY } from './mark-entry.js';

/**
 * Marks a key as in progress, unless it is done, or in progress elsewhere.
 *
 * KEYS: 1 the mark, STRING.
 *
 * ARGV: 1 owner; 2 fence; 3 time until the mark is over, ms.
 *
 * Returns: 1 `b` begun, `p` in progress elsewhere, `d` done before, `s` begun already by the same owner with a higher
 * fence; 2 with `p` the time until that mark is over, ms, with `d` the result, empty for none.
 *
 * Afterwards: when begun, the mark names the caller. A full server refuses it before anything is written.
 */
export const MARK_BEGIN: ScriptSource = {
  parts: [MARK_ENTRY],
  body: lua`
local key, owner, fence = KEYS[1], ARGV[1], ARGV[2]
local mark = readMark(key)
if mark then
  if mark.done then return { 'd', mark.result } end
  if mark.owner ~= owner then return { 'p', int(mark.overAt - nowMs) } end
  if not isOwn(mark, owner, fence) then return { 's' } end
end
writeProgress(key, { owner = owner, fence = fence, holdMs = ARGV[3] })
return { 'b' }`,
};
