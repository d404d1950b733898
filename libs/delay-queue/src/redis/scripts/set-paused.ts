import { ARM_ENTRY, lua, type ScriptSource, SIGNALS } from './prelude.js';

/**
 * Stops the claims of a partition, or lets them go on.
 *
 * KEYS: the ten of the partition.
 *
 * ARGV: 1 channel; 2 `1` to pause, `0` to resume.
 *
 * Returns: nothing.
 *
 * Afterwards: `paused` exists, or not. What is due when the partition goes on has been told of. A pause goes through on a
 * full server, because a removal (of nothing) stands before it.
 */
export const SET_PAUSED: ScriptSource = {
  parts: [SIGNALS, ARM_ENTRY],
  body: lua`
if ARGV[2] == '1' then
  call('HDEL', RUN, '')
  call('SET', PAUSED, '1')
else
  call('DEL', PAUSED)
  lowered(ARGV[1], earliest())
end
publish()`,
};
