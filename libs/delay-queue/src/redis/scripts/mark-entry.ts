import { lua } from './prelude.js';

/**
 * Writing done marks, `d|forgotten at, ms|result`; without a result nothing stands behind the second bar.
 *
 * The time to live of the key only frees the memory: what a mark says is judged by the time in it and the script's own.
 */
export const DONE_MARK_ENTRY = lua`
local function writeDone(key, keepMs, result)
  call('SET', key, 'd|' .. int(nowMs + keepMs) .. '|' .. result, 'PX', keepMs)
end`;

/** Reading all marks, and writing those in progress, `p|fence|over at, ms|owner`. */
export const MARK_ENTRY = lua`
-- One that is over, or forgotten, counts as absent.
local function readMark(key)
  local text = call('GET', key)
  if not text then return nil end
  if sub(text, 1, 1) == 'd' then
    local forgottenAt, resultFrom = match(text, '^d|(%d+)|()')
    if tonumber(forgottenAt) <= nowMs then return nil end
    return { done = true, result = sub(text, resultFrom) }
  end
  local fence, overAt, ownerFrom = match(text, '^p|(%d+)|(%d+)|()')
  if tonumber(overAt) <= nowMs then return nil end
  return { fence = tonumber(fence), overAt = tonumber(overAt), owner = sub(text, ownerFrom) }
end

local function writeProgress(key, claim)
  local text = 'p|' .. claim.fence .. '|' .. int(nowMs + claim.holdMs) .. '|' .. claim.owner
  call('SET', key, text, 'PX', claim.holdMs)
end

-- Of an owner's own marks it may go on with those that no later delivery of it has begun.
local function isOwn(mark, owner, fence)
  return mark.owner == owner and mark.fence <= tonumber(fence)
end`;
