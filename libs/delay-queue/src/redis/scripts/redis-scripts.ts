import { createHash } from 'node:crypto';
import { GET } from './get.js';
import { INIT } from './init.js';
import { LIST } from './list.js';
import { MARK_BEGIN } from './mark-begin.js';
import { MARK_DROP } from './mark-drop.js';
import { MARK_EXTEND } from './mark-extend.js';
import { MARK_FINISH } from './mark-finish.js';
import { MARK_LOOK } from './mark-look.js';
import { MUTATE } from './mutate.js';
import { PEEK } from './peek.js';
import { assemble, type ScriptSource, SERVER_TIME } from './prelude.js';
import { REGISTER } from './register.js';
import { SET_PAUSED } from './set-paused.js';
import { STATS } from './stats.js';
import { TRIM } from './trim.js';
import { TURN } from './turn.js';

/** A script as it is sent to the server. */
export interface RedisScript {
  readonly name: string;
  readonly text: string;
  /** The name under which the server keeps it. */
  readonly sha1: string;
}

const SOURCES = {
  mutate: MUTATE,
  turn: TURN,
  peek: PEEK,
  get: GET,
  list: LIST,
  stats: STATS,
  setPaused: SET_PAUSED,
  trim: TRIM,
  init: INIT,
  register: REGISTER,
  markLook: MARK_LOOK,
  markBegin: MARK_BEGIN,
  markExtend: MARK_EXTEND,
  markFinish: MARK_FINISH,
  markDrop: MARK_DROP,
} satisfies Record<string, ScriptSource>;

/** Every script of the queue, by name. */
export type RedisScripts = Readonly<Record<keyof typeof SOURCES, RedisScript>>;

/**
 * Puts the scripts together.
 *
 * @param timeFragment Lua that defines `serverNowUs()`; tests pass one that reads a clock of theirs.
 */
export function assembleScripts(timeFragment: string = SERVER_TIME): RedisScripts {
  const scripts = Object.entries(SOURCES).map(([name, source]) => [name, toScript(name, source, timeFragment)]);
  return Object.fromEntries(scripts) as RedisScripts;
}

function toScript(name: string, source: ScriptSource, timeFragment: string): RedisScript {
  const text = assemble(source, timeFragment);
  return { name, text, sha1: createHash('sha1').update(text).digest('hex') };
}
