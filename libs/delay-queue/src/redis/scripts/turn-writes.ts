import { lua } from './prelude.js';

/** Writes that are collected and made together, one command for many tasks. */
export const TURN_WRITES = lua`
local writes = {}
local function add(name, first, second)
  local list = writes[name]
  if not list then
    list = { size = 0 }
    writes[name] = list
  end
  local size = list.size + 1
  list[size] = first
  if second then
    size = size + 1
    list[size] = second
  end
  list.size = size
end

local function write(command, key, name)
  local list = writes[name]
  if list then call(command, key, unpack(list, 1, list.size)) end
end

local anyDeath, anyMark = false, false
local function flush()
  write('ZREM', LEASED, 'unlease')
  write('ZREM', DUE, 'undue')
  write('HDEL', TASK, 'forget')
  write('HDEL', RUN, 'forget')
  write('HSET', RUN, 'runs')
  write('ZADD', DUE, 'dues')
  write('ZADD', LEASED, 'leases')
  write('HSET', GRAVE, 'graves')
  write('ZADD', DEAD, 'deaths')
  write('ZADD', DONE, 'marks')
  anyDeath, anyMark = anyDeath or writes.deaths, anyMark or writes.marks
  writes = {}
end

local function bury(id, letter)
  add('unlease', id)
  add('forget', id)
  add('graves', id, writeGrave(letter.run, letter.reason, letter.problem, letter.envelope))
  add('deaths', nowText, id)
end`;
