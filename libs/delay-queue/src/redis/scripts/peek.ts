import { ARM_ENTRY, lua, type ScriptSource, SIGNALS } from './prelude.js';

/**
 * Looks after lanes without claiming.
 *
 * KEYS: the ten of a partition, for each lane.
 *
 * ARGV: 1 holder; 2 how long an arm holds, ms; then the channel of each lane.
 *
 * Returns: 1 now in µs; then for each lane `next due time or lease end, ms|paused|armed|last fence`, where absent numbers
 * are empty.
 *
 * Afterwards: the arms that bear the holder's name are renewed and their beats published; nothing else is changed. Full
 * servers let the renewal through, because a removal (of nothing) stands before it.
 */
export const PEEK: ScriptSource = {
  parts: [SIGNALS, ARM_ENTRY],
  body: lua`
local holder, heldUntilText = ARGV[1], int(nowMs + ARGV[2])
local answers = { int(nowUs) }
for lane = 1, #KEYS / 10 do
  local last = lane * 10
  DUE, LEASED, TASK, RUN, FENCE, DEAD, GRAVE, DONE, PAUSED, ARM = unpack(KEYS, last - 9, last)
  local paused = call('EXISTS', PAUSED) == 1
  local nextAt
  if not paused then nextAt = earliest() end
  local arm = readArm()
  local armed = arm and arm.holder == holder
  if armed then
    call('HDEL', RUN, '')
    writeArm(holder, nextAt, heldUntilText)
    tell(ARGV[lane + 2], 'beat:' .. holder)
  end
  local state = {
    nextAt and int(nextAt) or '', paused and '1' or '0', armed and '1' or '0', call('GET', FENCE) or '',
  }
  answers[lane + 1] = table.concat(state, '|')
end
publish()
return answers`,
};
