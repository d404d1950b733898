import { ARM_ENTRY, GRAVE_ENTRY, lua, RUN_ENTRY, RUNS, type ScriptSource, SIGNALS, TRIMS } from './prelude.js';
import { DONE_MARK_ENTRY } from './mark-entry.js';
import { TURN_CLAIM } from './turn-claim.js';
import { TURN_SETTLE } from './turn-settle.js';
import { TURN_WRITES } from './turn-writes.js';

/** Trims, the arm, the signals and the reply. */
const AFTERWARDS = lua`
if anyDeath then trimDead(deadKeepMs, deadMax) end
if anyMark then trimDone(TRIMMED_PER_CALL) end

local nextAt
if not paused then nextAt = earliest() end
local overdueLeft = claimLimit > 0 and nextAt and nextAt <= nowMs

local arm = readArm()
local mine, armed = arm and arm.holder == HOLDER, false
if armWish == 'resign' then
  if mine then
    call('DEL', ARM)
    if nextAt then tell(CHANNEL, 'wake:*') end
  end
elseif mine or armWish == 'force' or (armWish == 'take' and not (arm and arm.alive)) then
  armed = true
  writeArm(HOLDER, nextAt, int(nowMs + armHoldMs))
  if not mine then tell(CHANNEL, 'beat:' .. HOLDER) end
end
if anyPutBack and not armed then lowered(CHANNEL, nextAt) end
if overdueLeft and mayCallForHelp then tell(CHANNEL, 'help:' .. HOLDER) end
publish()

local flags = (overdueLeft and '1' or '0') .. (paused and '1' or '0') .. (armed and '1' or '0')
local state = int(nowUs) .. '|' .. (nextAt and int(nextAt) or '') .. '|' .. flags .. '|' .. (lastFence or '') .. '|' ..
  (fence or '') .. '|' .. settled .. '|' .. extended
if not result then return { state } end
return { state, unpack(result) }`;

/**
 * Settles, extends, claims, trims and looks after the arm, in this order.
 *
 * KEYS: the ten of the partition (`due`, `leased`, `dead`, `done` ZSET; `task`, `run`, `grave` HASH; `fence`, `paused`,
 * `arm` STRING); from 11 on the own marks (STRING) that the settles `i` write.
 *
 * ARGV: 1 channel; 2 holder; 3 arm wish (`leave`, `take`, `force`, `resign`); 4 how long an arm holds, ms; 5 claim limit,
 * 0 for no claim; 6 suspects: `0` take one, `1` put them off, `2` leave them and what lost its lease; 7 `1` if help may be called for; 8 lease, ms; 9 lost leases that
 * bury; 10 age at which dead letters are trimmed, ms; 11 number of dead letters kept; 12 bytes of envelopes that end the
 * claim; 13 and 14 reasons of dead letters (retries used up, leases lost); 15 number of settles; 16 number of extensions;
 * 17 a letter for each settle; 18 their fences, then those of the extensions, as `fence|count;` for so many of the same in
 * a row; 19 the ids of the settles, then of the extensions, as JSON; then for each settle by its letter
 *
 * - `c` complete: nothing
 * - `w` complete: dedupe window, ms
 * - `i` complete with a mark: dedupe window, ms (0 for none); number of the mark's key; time until it is forgotten, ms;
 *   result, empty for none
 * - `r` retry: delay, ms; most retries; error
 * - `s` snooze: delay, ms
 * - `l` release: nothing
 * - `b` bury: reason; error
 *
 * Settles, extensions and the claim together concern at most 500 tasks.
 *
 * Returns: 1 `now in µs|next due time or lease end, ms|flags|last fence before|fence of this claim|settles|extensions`: absent
 * numbers are empty; the flags are three digits (overdue left, paused, armed); settles and extensions have one letter each
 * (`a` applied, `s` stale, `g` gone). If anything was claimed, buried or found without an envelope, also 2 ids and
 * 3 envelopes of what was claimed; 4 their counters, `deliveries|failures|lost|redrives|due` with `,` between tasks; 5 ids
 * and lost leases of what was buried, alternating; 6 ids that had no envelope.
 *
 * Afterwards: what was settled is leased no more; what was claimed stands in `leased` under the new fence, and is due no
 * more. `arm` names the caller if it was told so. The first write is a removal, which goes through when the server is
 * full, and so does everything after it.
 */
export const TURN: ScriptSource = {
  parts: [RUNS, RUN_ENTRY, GRAVE_ENTRY, SIGNALS, ARM_ENTRY, TRIMS, DONE_MARK_ENTRY],
  body: lua`
local CHANNEL, HOLDER, armWish, armHoldMs = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
local claimLimit, hasSuspect, mayCallForHelp = tonumber(ARGV[5]), ARGV[6] == '1', ARGV[7] == '1'
local leavesSuspects = ARGV[6] == '2'
local leaseMs, maxLostLeases = tonumber(ARGV[8]), tonumber(ARGV[9])
local deadKeepMs, deadMax, maxBytes = tonumber(ARGV[10]), tonumber(ARGV[11]), tonumber(ARGV[12])
local RETRIES_USED_UP, LEASES_LOST = ARGV[13], ARGV[14]
local settleCount, extensionCount = tonumber(ARGV[15]), tonumber(ARGV[16])
local LETTERS, FENCES, IDS, FIRST_OF_SETTLES = ARGV[17], ARGV[18], ARGV[19], 20

-- Removes nothing: a full server lets a script go on that has begun with a removal.
call('HDEL', RUN, '')
${TURN_WRITES}
${TURN_SETTLE}
${TURN_CLAIM}
${AFTERWARDS}`,
};
