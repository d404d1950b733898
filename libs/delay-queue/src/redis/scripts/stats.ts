import { lua, type ScriptSource } from './prelude.js';

/**
 * Counts a partition's tasks.
 *
 * KEYS: the ten of the partition.
 *
 * ARGV: none.
 *
 * Returns: `now in µs|waiting|overdue|running|dead|done|paused|first due time, ms`, the last one empty when nothing waits.
 *
 * Afterwards: nothing is changed.
 */
export const STATS: ScriptSource = {
  parts: [],
  body: lua`
local first = head(DUE)
local counts = {
  int(nowUs),
  call('ZCARD', DUE),
  call('ZCOUNT', DUE, '-inf', nowText),
  call('ZCARD', LEASED),
  call('ZCARD', DEAD),
  call('ZCOUNT', DONE, '(' .. nowText, '+inf'),
  call('EXISTS', PAUSED),
  first and int(first) or '',
}
return table.concat(counts, '|')`,
};
