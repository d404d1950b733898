import { lua, type ScriptSource } from './prelude.js';

/**
 * Writes a type's settings where none are known, and reads them.
 *
 * KEYS: 1 `meta` HASH of the type.
 *
 * ARGV: 1 format; 2 number of partitions; 3 dedupe window, ms.
 *
 * Returns: format, partitions and dedupe window as they are stored now.
 *
 * Afterwards: the settings stand in the hash; those that stood there are unchanged.
 */
export const REGISTER: ScriptSource = {
  parts: [],
  body: lua`
if call('EXISTS', KEYS[1]) == 0 then
  call('HSET', KEYS[1], 'format', ARGV[1], 'partitions', ARGV[2], 'dedupeForMs', ARGV[3])
end
return call('HMGET', KEYS[1], 'format', 'partitions', 'dedupeForMs')`,
};
