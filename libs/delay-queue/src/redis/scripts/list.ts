import { GRAVE_ENTRY, lua, RUN_ENTRY, type ScriptSource } from './prelude.js';
import { RECORD_ROW } from './record-row.js';

/**
 * Reads one page of tasks, in order of score and then of the bytes of the id.
 *
 * KEYS: the ten of the partition.
 *
 * ARGV: 1 letter of the state (`w`, `r`, `d`); 2 offset; 3 limit (at most 500); 4 bytes of envelopes that end the page.
 *
 * Returns: rows; fewer than the limit when there are no more, or when the bytes are reached, but then at least one.
 *
 * Afterwards: nothing is changed.
 */
export const LIST: ScriptSource = {
  parts: [RUN_ENTRY, GRAVE_ENTRY, RECORD_ROW],
  body: lua`
local state, offset, limit, maxBytes = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local index = state == 'd' and DEAD or state == 'r' and LEASED or DUE
local found = call('ZRANGE', index, int(offset), int(offset + limit - 1), 'WITHSCORES')
local rows, bytes = {}, 0
for i = 1, #found, 2 do
  if bytes >= maxBytes then break end
  local id, score = found[i], found[i + 1]
  local row
  if state == 'd' then
    row = deadRow(id, call('HGET', GRAVE, id), score)
  else
    row = liveRow(id, call('HGET', TASK, id), call('HGET', RUN, id), score, state == 'w')
  end
  bytes = bytes + (row[2] and #row[2] or 0)
  rows[#rows + 1] = row
end
return rows`,
};
