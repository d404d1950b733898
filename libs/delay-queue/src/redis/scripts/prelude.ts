/** Marks a text as Lua; backslashes stay as they are written. */
export const lua = String.raw;

/** Lua that defines `serverNowUs()`, the time in microseconds. */
export const SERVER_TIME = lua`
local function serverNowUs()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end`;

/**
 * The beginning of every script that works on partitions: names for the keys, the time, and the way numbers are written.
 *
 * Lua's own conversion keeps 14 digits of a number, hence `int`. Arguments of commands are texts wherever they can be: a
 * number costs more to convert than a small command takes.
 */
export const BASE = lua`
local call, format, match, sub, find = redis.call, string.format, string.match, string.sub, string.find
local floor, ceil, max, min = math.floor, math.ceil, math.max, math.min
local DUE, LEASED, TASK, RUN, FENCE, DEAD, GRAVE, DONE, PAUSED, ARM = unpack(KEYS, 1, 10)
local nowUs = serverNowUs()
local nowMs = floor(nowUs / 1000)
local function int(number) return format('%.0f', number) end
local nowText = int(nowMs)

-- The score of the first member of a sorted set, or nil.
local function head(key) return tonumber(call('ZRANGE', key, '0', '0', 'WITHSCORES')[2]) end

-- When something is due that waits so long from now: a part of a millisecond never shortens the wait.
local function dueAfter(delayMs)
  if delayMs == 0 then return nowMs end
  return ceil(nowUs / 1000) + delayMs
end

-- Earliest due time or end of a lease, or nil.
local function earliest()
  local due, leased = head(DUE), head(LEASED)
  if due and leased then return min(due, leased) end
  return due or leased
end`;

/** Reading texts that come as `text|count;`, for so many of the same in a row. */
export const RUNS = lua`
local function readRuns(text)
  local texts, size = {}, 0
  for each, count in string.gmatch(text, '([^|]+)|(%d+);') do
    for _ = 1, count do
      size = size + 1
      texts[size] = each
    end
  end
  return texts
end`;

/** Reading and writing run entries: `fence|deliveries|failures|lost|redrives|due`. */
export const RUN_ENTRY = lua`
-- An entry that is absent counts as that of a task never run; its due time is nil.
local function readRun(text)
  local fence, deliveries, failures, lost, redrives, due =
    match(text or '', '^(%d+)|(%d+)|(%d+)|(%d+)|(%d+)|(%d+)$')
  return {
    fence = fence or '0',
    deliveries = tonumber(deliveries or 0),
    failures = tonumber(failures or 0),
    lost = tonumber(lost or 0),
    redrives = tonumber(redrives or 0),
    due = tonumber(due),
  }
end

local function countsOf(run)
  return format('%.0f|%.0f|%.0f|%.0f|%.0f', run.deliveries, run.failures, run.lost, run.redrives, run.due)
end

local function writeRun(run) return run.fence .. '|' .. countsOf(run) end`;

/**
 * Reading and writing graves: `deliveries|failures|lost|redrives|due|bytes of reason|bytes of error`, a line break, then
 * reason, error and envelope without anything between them.
 */
export const GRAVE_ENTRY = lua`
local function writeGrave(run, reason, problem, envelope)
  return countsOf(run) .. format('|%d|%d\n', #reason, #problem) .. reason .. problem .. envelope
end

local function readGrave(text)
  local counts, due, reasonBytes, problemBytes =
    match(text, '^(%d+|%d+|%d+|%d+|(%d+))|(%d+)|(%d+)\n')
  local reasonFrom = find(text, '\n', 1, true) + 1
  local problemFrom = reasonFrom + reasonBytes
  local envelopeFrom = problemFrom + problemBytes
  return {
    counts = counts,
    due = due,
    reason = sub(text, reasonFrom, problemFrom - 1),
    problem = sub(text, problemFrom, envelopeFrom - 1),
    envelope = sub(text, envelopeFrom),
  }
end`;

/**
 * Signals: collected while the script works, published as its last deed.
 *
 * `pcall`, because publishing can be refused (a user without rights on the channel) when all writes are done.
 */
export const SIGNALS = lua`
local outbox = {}
local function tell(channel, signal)
  outbox[#outbox + 1] = { channel, signal }
end

local function publish()
  for i = 1, #outbox do redis.pcall('PUBLISH', outbox[i][1], outbox[i][2]) end
end`;

/** The arm, `holder|armedDueMs|heldUntilMs`, and the one place that tells of an earlier head. */
export const ARM_ENTRY = lua`
local function readArm()
  local text = call('GET', ARM)
  if not text then return nil end
  local holder, due, heldUntil = match(text, '^([^|]*)|(%d*)|(%d+)$')
  return { holder = holder, due = tonumber(due), alive = tonumber(heldUntil) >= nowMs, heldUntil = heldUntil }
end

local function writeArm(holder, dueMs, heldUntilText)
  call('SET', ARM, holder .. '|' .. (dueMs and int(dueMs) or '') .. '|' .. heldUntilText)
end

-- Something is due at lowMs that may come before what the holder waits for: tells the holder, or everyone when there
-- is no living holder.
local function lowered(channel, lowMs)
  if not lowMs or call('EXISTS', PAUSED) == 1 then return end
  local arm = readArm()
  if arm and arm.alive then
    if arm.due and arm.due <= lowMs then return end
    writeArm(arm.holder, lowMs, arm.heldUntil)
    tell(channel, 'wake:' .. arm.holder)
  else
    local first = head(DUE)
    if not first or lowMs <= first then tell(channel, 'wake:*') end
  end
end`;

/** Removal of outdated dead letters and done marks, at most 100 of each. */
export const TRIMS = lua`
local TRIMMED_PER_CALL = 100

local function trimDead(keepMs, maxLetters)
  local oldest = call('ZRANGE', DEAD, '0', int(TRIMMED_PER_CALL - 1), 'WITHSCORES')
  local surplus = call('ZCARD', DEAD) - maxLetters
  local ids = {}
  for i = 1, #oldest, 2 do
    if #ids >= surplus and tonumber(oldest[i + 1]) > nowMs - keepMs then break end
    ids[#ids + 1] = oldest[i]
  end
  if #ids > 0 then
    call('ZREM', DEAD, unpack(ids))
    call('HDEL', GRAVE, unpack(ids))
  end
  return #ids
end

local function trimDone(limit)
  if limit < 1 then return 0 end
  local ids = call('ZRANGE', DONE, '-inf', nowText, 'BYSCORE', 'LIMIT', '0', int(limit))
  if #ids > 0 then call('ZREM', DONE, unpack(ids)) end
  return #ids
end`;

/** A script before the time is built into it. */
export interface ScriptSource {
  /** Parts of the prelude that the body uses, in order of dependence. */
  readonly parts: readonly string[];
  readonly body: string;
}

/**
 * Puts a script together; `timeFragment` defines `serverNowUs()`.
 *
 * The body is a function of its own, because Lua searches all captured variables of the running function whenever it
 * makes a closure, and the prelude's would be among them.
 */
export function assemble(source: ScriptSource, timeFragment: string): string {
  const prelude = [timeFragment, BASE, ...source.parts];
  return [...prelude, 'local function main()', source.body, 'end', 'return main()']
    .map((part) => part.trim())
    .join('\n');
}
