import { GRAVE_ENTRY, lua, RUN_ENTRY, type ScriptSource } from './prelude.js';
import { RECORD_ROW } from './record-row.js';

/**
 * Reads all that is known of one task.
 *
 * KEYS: the ten of the partition.
 *
 * ARGV: 1 id.
 *
 * Returns: a letter for the state (`w` waiting, `r` running, `d` dead, `o` done, `n` none), then the task's row; of a done
 * task there is only the end of the dedupe window, ms, and of none nothing.
 *
 * Afterwards: nothing is changed.
 */
export const GET: ScriptSource = {
  parts: [RUN_ENTRY, GRAVE_ENTRY, RECORD_ROW],
  body: lua`
local id = ARGV[1]
local leasedUntil, due = call('ZSCORE', LEASED, id), call('ZSCORE', DUE, id)
if leasedUntil or due then
  local envelope, entry = call('HGET', TASK, id), call('HGET', RUN, id)
  return { leasedUntil and 'r' or 'w', liveRow(id, envelope, entry, leasedUntil or due, not leasedUntil) }
end
local deadAt = call('ZSCORE', DEAD, id)
if deadAt then return { 'd', deadRow(id, call('HGET', GRAVE, id), deadAt) } end
local doneUntil = call('ZSCORE', DONE, id)
if doneUntil and tonumber(doneUntil) > nowMs then return { 'o', doneUntil } end
return { 'n' }`,
};
