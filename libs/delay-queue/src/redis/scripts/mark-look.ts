import { lua, type ScriptSource } from './prelude.js';
import { MARK_ENTRY } from './mark-entry.js';

/**
 * Looks whether a delivery still has its task's lease, and whether this life of the task was done before.
 *
 * KEYS: the ten of the partition; 11 the own mark of this life, STRING.
 *
 * ARGV: 1 id; 2 fence, with a bar behind it.
 *
 * Returns: 1 `s` another claim has the lease, or the task is not running, `d` the life was done, `b` neither; with `d`
 * also 2 its result, empty for none.
 *
 * Afterwards: nothing is changed.
 */
export const MARK_LOOK: ScriptSource = {
  parts: [MARK_ENTRY],
  body: lua`
local id, fence = ARGV[1], ARGV[2]
local entry = call('ZSCORE', LEASED, id) and call('HGET', RUN, id)
if not entry or sub(entry, 1, #fence) ~= fence then return { 's' } end
local mark = readMark(KEYS[11])
if mark and mark.done then return { 'd', mark.result } end
return { 'b' }`,
};
