import { ARM_ENTRY, GRAVE_ENTRY, lua, RUN_ENTRY, RUNS, type ScriptSource, SIGNALS } from './prelude.js';

/**
 * Carries out mutations of tasks, in order, each seeing what those before it did.
 *
 * KEYS: the ten of the partition (`due`, `leased`, `dead`, `done` ZSET; `task`, `run`, `grave` HASH; `fence`, `paused`,
 * `arm` STRING).
 *
 * ARGV: 1 channel; 2 ids of the tasks, at most 500, as JSON; 3 their orders, as `order|count;` for so many of the same in
 * a row; from 4 on the envelopes, one for each order that schedules. An order begins with its letter:
 *
 * - `k` schedule, keeping a task that is there: `k` and due time
 * - `r` schedule, replacing a task that waits or is dead: `r` and due time
 * - `m` reschedule: `m` and due time
 * - `n` run now, `c` cancel, `v` redrive, `p` purge a dead letter
 *
 * where a due time is `+` and a delay in ms, or a point in time in ms.
 *
 * Returns: one text, `,` between the answers. An answer is a letter for what was done (`c` created, `d` duplicate,
 * `r` replaced, `m` rescheduled, `x` cancelled, `v` redriven, `p` purged, `R` running, `n` not found), a letter for the
 * state (`w` waiting, `r` running, `d` dead, `o` done, `n` none) and the due time in ms, if there is one. Most answers
 * would be those to tasks that were created for the point in time that was asked for: each of them is `=` alone.
 *
 * Afterwards: every id stands in at most one of `due`, `leased`, `dead` and `done`; it has an envelope exactly when it
 * stands in one of the first two. What was added to `due` and is now its head has been told of. Additions are written
 * before removals, so a full server refuses a call that begins with an addition before anything is written, and carries
 * out one that begins with a removal.
 */
export const MUTATE: ScriptSource = {
  parts: [RUNS, RUN_ENTRY, GRAVE_ENTRY, SIGNALS, ARM_ENTRY],
  body: lua`
local CHANNEL, ids, orders = ARGV[1], cjson.decode(ARGV[2]), readRuns(ARGV[3])
local count, position = #ids, 3

-- What is known of the ids of this call, kept up to date: id -> score as text.
local function scores(key)
  local found, known = call('ZMSCORE', key, unpack(ids)), {}
  for i = 1, count do
    if found[i] then known[ids[i]] = found[i] end
  end
  return known
end
local waiting, running, dead, done = scores(DUE), scores(LEASED), {}, {}
if call('EXISTS', DEAD, DONE) > 0 then
  dead, done = scores(DEAD), scores(DONE)
end

-- Additions wait here, to be written together: field, value … and score, member ….
local tasks, dues = {}, {}
local lowest
local function flush()
  if #tasks > 0 then call('HSET', TASK, unpack(tasks)) end
  if #dues > 0 then call('ZADD', DUE, unpack(dues)) end
  tasks, dues = {}, {}
end

local function store(id, envelope)
  tasks[#tasks + 1] = id
  tasks[#tasks + 1] = envelope
end

local function put(id, dueMs, dueText)
  dues[#dues + 1] = dueText
  dues[#dues + 1] = id
  waiting[id] = dueText
  if not lowest or dueMs < lowest then lowest = dueMs end
end

local function forgetLetter(id)
  call('ZREM', DEAD, id)
  call('HDEL', GRAVE, id)
  dead[id] = nil
end

-- The due time of an order, as number and as text, and whether it is the point in time that was asked for. Callers often
-- give many tasks the same delay.
local lastOrder, lastDueMs, lastDueText, lastAsAsked
local function readDue(order)
  if order ~= lastOrder then
    lastOrder, lastDueText, lastAsAsked = order, sub(order, 2), true
    lastDueMs = tonumber(lastDueText)
    if sub(order, 2, 2) == '+' then
      lastDueMs, lastAsAsked = dueAfter(lastDueMs), false
      lastDueText = int(lastDueMs)
    elseif lastDueMs < nowMs then
      lastDueMs, lastDueText, lastAsAsked = nowMs, nowText, false
    end
  end
  return lastDueMs, lastDueText, lastAsAsked
end

-- Letter of the state, and the due time as text.
local function stateOf(id)
  if running[id] then
    local run = readRun(call('HGET', RUN, id))
    return 'r', run.due and int(run.due) or ''
  end
  if waiting[id] then return 'w', waiting[id] end
  if dead[id] then
    local grave = call('HGET', GRAVE, id)
    return 'd', grave and readGrave(grave).due or ''
  end
  if done[id] and tonumber(done[id]) > nowMs then return 'o', '' end
  return 'n', ''
end

local outdatedMarks = {}
local function schedule(id, order, replaces)
  position = position + 1
  local envelope = ARGV[position]
  local state, due = stateOf(id)
  local replaced = replaces and (state == 'w' or state == 'd')
  if state ~= 'n' and not replaced then return 'd' .. state .. due end
  local dueMs, dueText, asAsked = readDue(order)
  store(id, envelope)
  put(id, dueMs, dueText)
  if done[id] then
    outdatedMarks[#outdatedMarks + 1] = id
    done[id] = nil
  end
  if not replaced then return asAsked and '=' or 'cw' .. dueText end
  flush()
  call('HDEL', RUN, id)
  if state == 'd' then forgetLetter(id) end
  return 'rw' .. dueText
end

local function untouched(state, due)
  return (state == 'r' and 'R' or 'n') .. state .. due
end

local mutations = {}
function mutations.k(id, order) return schedule(id, order, false) end
function mutations.r(id, order) return schedule(id, order, true) end

function mutations.m(id, order)
  local state, due = stateOf(id)
  if state ~= 'w' then return untouched(state, due) end
  local dueMs, dueText = readDue(order)
  put(id, dueMs, dueText)
  return 'mw' .. dueText
end

function mutations.n(id)
  local state, due = stateOf(id)
  if state ~= 'w' then return untouched(state, due) end
  local dueMs = min(tonumber(due), nowMs)
  local dueText = int(dueMs)
  put(id, dueMs, dueText)
  return 'mw' .. dueText
end

function mutations.c(id)
  local state, due = stateOf(id)
  if state ~= 'w' and state ~= 'd' then return untouched(state, due) end
  flush()
  if state == 'd' then
    forgetLetter(id)
  else
    call('ZREM', DUE, id)
    call('HDEL', TASK, id)
    call('HDEL', RUN, id)
    waiting[id] = nil
  end
  return 'xn'
end

function mutations.v(id)
  local state, due = stateOf(id)
  if state ~= 'd' then return untouched(state, due) end
  local text = call('HGET', GRAVE, id)
  if not text then
    forgetLetter(id)
    return 'nn'
  end
  local grave = readGrave(text)
  local deliveries, redrives = match(grave.counts, '^(%d+)|%d+|%d+|(%d+)')
  store(id, grave.envelope)
  put(id, nowMs, nowText)
  flush()
  call('HSET', RUN, id, format('0|%s|0|0|%.0f|%s', deliveries, redrives + 1, grave.due))
  forgetLetter(id)
  return 'vw' .. nowText
end

function mutations.p(id)
  local state, due = stateOf(id)
  if state ~= 'd' then return 'n' .. state .. due end
  flush()
  forgetLetter(id)
  return 'pn'
end

local answers = {}
for i = 1, count do
  local order = orders[i]
  answers[i] = mutations[sub(order, 1, 1)](ids[i], order)
end
flush()
if #outdatedMarks > 0 then call('ZREM', DONE, unpack(outdatedMarks)) end

-- Only a head that this call put there, or uncovered, can be earlier than what the holder knows of.
if lowest then
  local first = head(DUE)
  if first and first >= lowest then lowered(CHANNEL, first) end
end
publish()
return table.concat(answers, ',')`,
};
