/*
 * The least that Redis has to do for a delayed task: a sorted set and a hash. No fences, no counters, no dead letters, no
 * recovery. KEYS are always the due set, the leased set and the hash of payloads.
 */

/** Schedules the tasks of ARGV (id, due time in ms, payload; repeated); returns how many are new. */
export const SCHEDULE = `
local created = 0
for i = 1, #ARGV, 3 do
  if redis.call('HSETNX', KEYS[3], ARGV[i], ARGV[i + 2]) == 1 then
    redis.call('ZADD', KEYS[1], ARGV[i + 1], ARGV[i])
    created = created + 1
  end
end
return created`;

/**
 * Settles the ids from ARGV[3] on and claims up to ARGV[1] due tasks for ARGV[2] ms; returns the time and the next due
 * time (or an empty text) in ms, then the payloads of the claimed.
 */
export const TURN = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local settled = {}
for i = 3, #ARGV do settled[#settled + 1] = ARGV[i] end
if #settled > 0 then
  redis.call('ZREM', KEYS[2], unpack(settled))
  redis.call('HDEL', KEYS[3], unpack(settled))
end
local ids = redis.call('ZRANGE', KEYS[1], '-inf', now, 'BYSCORE', 'LIMIT', 0, ARGV[1])
local reply = {time[1] * 1000 + time[2] / 1000, ''}
if #ids > 0 then
  redis.call('ZREM', KEYS[1], unpack(ids))
  local leased = {}
  for _, id in ipairs(ids) do
    leased[#leased + 1] = now + ARGV[2]
    leased[#leased + 1] = id
  end
  redis.call('ZADD', KEYS[2], unpack(leased))
  for _, payload in ipairs(redis.call('HMGET', KEYS[3], unpack(ids))) do reply[#reply + 1] = payload end
end
local head = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
if head[2] then reply[2] = head[2] end
reply[1] = string.format('%.3f', reply[1])
return reply`;

/** Removes the task ARGV[1]; returns 1 when it was waiting. */
export const CANCEL = `
local removed = redis.call('ZREM', KEYS[1], ARGV[1])
if removed == 1 then redis.call('HDEL', KEYS[3], ARGV[1]) end
return removed`;

/** Moves the task ARGV[1] to ARGV[2] ms; returns 1 when it was waiting. */
export const RESCHEDULE = `return redis.call('ZADD', KEYS[1], 'XX', 'CH', ARGV[2], ARGV[1])`;
