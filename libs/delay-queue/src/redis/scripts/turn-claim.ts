import { lua } from './prelude.js';

/** The claim. */
export const TURN_CLAIM = lua`
local lastFence, fence, result = call('GET', FENCE), nil, nil
local paused = call('EXISTS', PAUSED) == 1
if claimLimit > 0 and not paused then
  local ids, envelopes, counters, buried, orphans, bytes = {}, {}, {}, {}, {}, 0
  local deadlineText = int(nowMs + leaseMs)

  local function drawFence()
    fence = int(lastFence and max(lastFence + 1, nowUs) or nowUs)
    if lastFence then call('SET', FENCE, fence, 'XX') end
  end

  local function take(id, envelope, counts)
    if not fence then drawFence() end
    add('runs', id, fence .. '|' .. counts)
    add('leases', deadlineText, id)
    local number = #ids + 1
    ids[number], envelopes[number], counters[number] = id, envelope, counts
    bytes = bytes + #envelope
  end

  local function orphan(id, from)
    add(from, id)
    add('forget', id)
    orphans[#orphans + 1] = id
  end

  local function takeAgain(id, envelope, run)
    hasSuspect = hasSuspect or run.lost >= 2
    run.deliveries = run.deliveries + 1
    take(id, envelope, countsOf(run))
  end
  local function mustWait(run) return hasSuspect and run.lost >= 2 end

  -- Suspects that had to wait come up one by one, evenly spread over one lease.
  local function spread(waiters, name)
    for i = 1, #waiters do
      add(name, int(nowMs + max(1, floor(leaseMs * i / (#waiters + 1)))), waiters[i])
    end
  end

  -- Shows what stands at the head of a sorted set up to now, with envelope and run entry, to a function. Envelopes are
  -- fetched so many at a time: what is fetched beyond the limit of bytes is fetched for nothing.
  local FETCHED_AT_ONCE = 50
  local NONE = {}
  local function examine(key, limit, hasEntries, visit)
    local found = call('ZRANGE', key, '-inf', nowText, 'BYSCORE', 'LIMIT', '0', int(limit), 'WITHSCORES')
    for from = 1, #found, 2 * FETCHED_AT_ONCE do
      local part = {}
      for i = from, min(from + 2 * FETCHED_AT_ONCE, #found) - 1, 2 do part[#part + 1] = found[i] end
      local texts = call('HMGET', TASK, unpack(part))
      local entries = hasEntries and call('HMGET', RUN, unpack(part)) or NONE
      for i = 1, #part do
        if bytes >= maxBytes then return end
        visit(part[i], texts[i], entries[i], found[from + 2 * i - 1])
      end
    end
  end

  local waiters = {}
  local function takeOver(id, envelope, entry, score)
    if not envelope then return orphan(id, 'unlease') end
    local run = readRun(entry)
    run.lost, run.due = run.lost + 1, run.due or tonumber(score)
    if run.lost >= maxLostLeases then
      bury(id, { run = run, reason = LEASES_LOST, problem = '', envelope = envelope })
      buried[#buried + 1] = id
      buried[#buried + 1] = int(run.lost)
    elseif mustWait(run) then
      waiters[#waiters + 1] = id
    else
      takeAgain(id, envelope, run)
    end
  end
  if not leavesSuspects then examine(LEASED, claimLimit, true, takeOver) end
  spread(waiters, 'leases')

  waiters = {}
  local free = claimLimit - #ids
  if free > 0 and bytes < maxBytes then
    -- When only leased tasks have entries, none of those that wait has been claimed before.
    local hasEntries = call('HLEN', RUN) ~= call('ZCARD', LEASED)
    examine(DUE, free, hasEntries, function(id, envelope, entry, score)
      if not envelope then return orphan(id, 'undue') end
      if not entry then
        add('undue', id)
        return take(id, envelope, '1|0|0|0|' .. score)
      end
      local run = readRun(entry)
      run.due = tonumber(score)
      if leavesSuspects and run.lost >= 2 then return end
      if mustWait(run) then
        waiters[#waiters + 1] = id
      else
        add('undue', id)
        takeAgain(id, envelope, run)
      end
    end)
    spread(waiters, 'dues')
  end
  flush()
  if #ids + #buried + #orphans > 0 then
    result = { ids, envelopes, table.concat(counters, ','), buried, orphans }
  end
end`;
