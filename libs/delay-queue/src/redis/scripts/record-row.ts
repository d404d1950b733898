import { lua } from './prelude.js';

/**
 * Lua that turns what is stored of a task into a row: id, envelope or nil, `deliveries|failures|lost|redrives|due`, score
 * (due time, lease end or time of death), and for dead tasks reason and error.
 *
 * The due time of a waiting task is its score, that of the others stands in their entries; absent it is empty.
 */
export const RECORD_ROW = lua`
local function liveRow(id, envelope, entry, score, isWaiting)
  local run = readRun(entry)
  local due = isWaiting and score or (run.due and int(run.due)) or ''
  local counts = format('%.0f|%.0f|%.0f|%.0f|', run.deliveries, run.failures, run.lost, run.redrives)
  return { id, envelope, counts .. due, score }
end

local function deadRow(id, text, score)
  if not text then return { id, false, '0|0|0|0|', score, '', '' } end
  local grave = readGrave(text)
  return { id, grave.envelope, grave.counts, score, grave.reason, grave.problem }
end`;
