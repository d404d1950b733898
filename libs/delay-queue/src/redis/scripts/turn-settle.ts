import { lua } from './prelude.js';

/** Settles and extensions. */
export const TURN_SETTLE = lua`
local settled, extended, anyPutBack = '', '', false
if settleCount + extensionCount > 0 then
  local named = cjson.decode(IDS)
  local deadlines = call('ZMSCORE', LEASED, unpack(named))
  local entries = call('HMGET', RUN, unpack(named))
  -- Run entries of the named ids that are leased, kept up to date: id -> text.
  local held = {}
  for i = 1, #named do
    if deadlines[i] then held[named[i]] = entries[i] or '' end
  end

  local function check(id, fence)
    local entry = held[id]
    if not entry then return 'g' end
    if sub(entry, 1, #fence + 1) ~= fence .. '|' then return 's' end
    return 'a'
  end

  local fences = readRuns(FENCES)

  local function putBack(id, run, dueMs)
    add('unlease', id)
    add('runs', id, writeRun(run))
    add('dues', int(dueMs), id)
    anyPutBack = true
  end

  local function complete(id)
    add('unlease', id)
    add('forget', id)
  end

  local function completeInWindow(id, dedupeForMs)
    complete(id)
    if dedupeForMs ~= '0' then add('marks', int(nowMs + dedupeForMs), id) end
  end

  -- Done marks have a key each; they are written when everything else of the settles is.
  local kept
  local function completeOnce(id, dedupeForMs, keyIndex, keepMs, result)
    completeInWindow(id, dedupeForMs)
    kept = kept or {}
    kept[#kept + 1] = { KEYS[tonumber(keyIndex)], keepMs, result }
  end

  local function retry(id, delayMs, maxRetries, problem)
    local run = readRun(held[id])
    run.failures, run.lost = run.failures + 1, 0
    if run.failures <= tonumber(maxRetries) then return putBack(id, run, dueAfter(tonumber(delayMs))) end
    bury(id, { run = run, reason = RETRIES_USED_UP, problem = problem, envelope = call('HGET', TASK, id) or '' })
  end

  local function snooze(id, delayMs)
    local run = readRun(held[id])
    run.lost = 0
    putBack(id, run, dueAfter(tonumber(delayMs)))
  end

  local function release(id)
    local run = readRun(held[id])
    putBack(id, run, run.due)
  end

  local function buryNow(id, reason, problem)
    local run = readRun(held[id])
    bury(id, { run = run, reason = reason, problem = problem, envelope = call('HGET', TASK, id) or '' })
  end

  local settles = { c = complete, w = completeInWindow, i = completeOnce, r = retry, s = snooze, l = release, b = buryNow }
  local argumentCounts = { c = 0, w = 1, i = 4, r = 3, s = 1, l = 0, b = 2 }
  local codes, position = {}, FIRST_OF_SETTLES
  for i = 1, settleCount do
    local id, letter = named[i], sub(LETTERS, i, i)
    local count = argumentCounts[letter]
    codes[i] = check(id, fences[i])
    if codes[i] == 'a' then
      settles[letter](id, unpack(ARGV, position, position + count - 1))
      held[id] = nil
    end
    position = position + count
  end
  settled = table.concat(codes)

  local extensions, deadlineText = {}, int(nowMs + leaseMs)
  for i = 1, extensionCount do
    local id = named[settleCount + i]
    extensions[i] = check(id, fences[settleCount + i])
    if extensions[i] == 'a' then add('leases', deadlineText, id) end
  end
  extended = table.concat(extensions)
  flush()
  if kept then
    for i = 1, #kept do writeDone(unpack(kept[i])) end
  end
end`;
