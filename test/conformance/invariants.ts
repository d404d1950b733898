import type { Redis } from 'ioredis';

/** The last fence seen of each partition, by the name of its first key; pass the same map to follow them over time. */
export type SeenFences = Map<string, number>;

/** A partition is not in a state that the operations can lead to. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
}

/** Reads everything at one instant, so that nothing can change between two keys. */
const READ_EVERYTHING = `
local function zset(key) return redis.call('ZRANGE', key, 0, -1, 'WITHSCORES') end
local function hash(key) return redis.call('HGETALL', key) end
local function text(key) return redis.call('GET', key) end
local DUE, LEASED, TASK, RUN, FENCE, DEAD, GRAVE, DONE, PAUSED, ARM = unpack(KEYS)
return {
  zset(DUE), zset(LEASED), zset(DEAD), zset(DONE), hash(TASK), hash(RUN), hash(GRAVE), text(FENCE), text(PAUSED), text(ARM)
}`;

const RUN_ENTRY = /^\d+\|\d+\|\d+\|\d+\|\d+\|\d+$/;
const GRAVE_ENTRY = /^\d+\|\d+\|\d+\|\d+\|\d+\|(\d+)\|(\d+)\n/;
const ARM = /^[^|]+\|(\d*)\|\d+$/;
const WHOLE_NUMBER = /^\d+$/;

/**
 * Checks that the keys of a partition agree: every id is in exactly one of waiting, running, dead and done (or in none),
 * nothing is left over of a task that is elsewhere, fences only rise, and the arm can be read.
 *
 * @param keys of the partition, in the order in which the scripts get them.
 * @throws InvariantError naming the id and the keys.
 */
export async function checkInvariants(
  redis: Redis,
  keys: readonly string[],
  seen: SeenFences = new Map(),
): Promise<void> {
  const [firstKey = ''] = keys;
  const partition = await readPartition(redis, keys);
  const problem = findProblem(partition) ?? fenceProblem(partition, seen.get(firstKey));
  if (problem !== null) throw new InvariantError(`${problem} (keys of ${firstKey})`);
  if (partition.fence !== null) seen.set(firstKey, Number(partition.fence));
}

/** What stands in the keys of a partition. */
interface PartitionContent {
  readonly due: ReadonlyMap<string, string>;
  readonly leased: ReadonlyMap<string, string>;
  readonly dead: ReadonlyMap<string, string>;
  readonly done: ReadonlyMap<string, string>;
  readonly task: ReadonlyMap<string, string>;
  readonly run: ReadonlyMap<string, string>;
  readonly grave: ReadonlyMap<string, string>;
  readonly fence: string | null;
  readonly paused: string | null;
  readonly arm: string | null;
}

async function readPartition(redis: Redis, keys: readonly string[]): Promise<PartitionContent> {
  const reply = (await redis.eval(READ_EVERYTHING, keys.length, ...keys)) as (string[] | string | null)[];
  const pairs = (index: number): ReadonlyMap<string, string> => toMap(reply[index]);
  const text = (index: number): string | null => (typeof reply[index] === 'string' ? reply[index] : null);
  return {
    due: pairs(0),
    leased: pairs(1),
    dead: pairs(2),
    done: pairs(3),
    task: pairs(4),
    run: pairs(5),
    grave: pairs(6),
    fence: text(7),
    paused: text(8),
    arm: text(9),
  };
}

function toMap(flat: string[] | string | null | undefined): ReadonlyMap<string, string> {
  const map = new Map<string, string>();
  if (!Array.isArray(flat)) return map;
  for (let index = 0; index < flat.length; index += 2) map.set(flat[index] ?? '', flat[index + 1] ?? '');
  return map;
}

function findProblem(partition: PartitionContent): string | null {
  return (
    firstProblem(allIds(partition), (id) => taskProblem(partition, id)) ??
    (partition.arm === null || ARM.test(partition.arm) ? null : `the arm cannot be read: '${partition.arm}'`) ??
    (partition.paused === null || partition.paused === '1' ? null : `paused is '${partition.paused}'`)
  );
}

/** The rules that each id has to keep. */
function taskProblem(partition: PartitionContent, id: string): string | null {
  const { due, leased, dead, done, task, run, grave } = partition;
  const places = Object.entries({ due, leased, dead, done }).filter(([, index]) => index.has(id));
  const names = places.map(([name]) => name).join(' and ');
  if (places.length > 1) return `id '${id}' is in ${names} at once`;
  const isLive = due.has(id) || leased.has(id);
  if (isLive && !task.has(id)) return `id '${id}' is in ${names} without an envelope in task`;
  if (!isLive && task.has(id)) return `id '${id}' has an envelope in task but is in neither due nor leased`;
  if (!isLive && run.has(id)) return `id '${id}' has an entry in run but is in neither due nor leased`;
  if (leased.has(id) && !run.has(id)) return `id '${id}' is in leased without an entry in run`;
  if (dead.has(id) !== grave.has(id)) return `id '${id}' is in ${dead.has(id) ? 'dead' : 'grave'} alone`;
  return contentProblem(partition, id) ?? scoreProblem(places, id);
}

/** Entries have the form that the scripts read. */
function contentProblem({ run, grave }: PartitionContent, id: string): string | null {
  const entry = run.get(id);
  if (entry !== undefined && !RUN_ENTRY.test(entry))
    return `id '${id}' has a run entry that cannot be read: '${entry}'`;
  const letter = grave.get(id);
  if (letter === undefined) return null;
  const head = GRAVE_ENTRY.exec(letter);
  const announced = Number(head?.[1]) + Number(head?.[2]);
  const isWhole = head !== null && Buffer.byteLength(letter) - Buffer.byteLength(head[0]) >= announced;
  return isWhole ? null : `id '${id}' has a grave that cannot be read: '${letter.slice(0, 200)}'`;
}

/** A score that is not a whole number of milliseconds has lost digits on its way. */
function scoreProblem(places: readonly (readonly [string, ReadonlyMap<string, string>])[], id: string): string | null {
  return firstProblem(places, ([name, index]) => {
    const score = index.get(id) ?? '';
    return WHOLE_NUMBER.test(score) ? null : `id '${id}' stands in ${name} at '${score}'`;
  });
}

function fenceProblem({ fence, run }: PartitionContent, seen: number | undefined): string | null {
  if (fence === null) return null;
  if (!WHOLE_NUMBER.test(fence)) return `fence is '${fence}'`;
  if (seen !== undefined && Number(fence) < seen) return `fence fell from ${seen} to ${fence}`;
  return firstProblem(run, ([id, entry]) => {
    const drawn = Number(entry.split('|')[0]);
    return drawn <= Number(fence) ? null : `id '${id}' runs under fence ${drawn}, above the last one drawn, ${fence}`;
  });
}

function allIds(partition: PartitionContent): ReadonlySet<string> {
  const { due, leased, dead, done, task, run, grave } = partition;
  return new Set([due, leased, dead, done, task, run, grave].flatMap((index) => [...index.keys()]));
}

function firstProblem<Item>(items: Iterable<Item>, problemOf: (item: Item) => string | null): string | null {
  for (const item of items) {
    const problem = problemOf(item);
    if (problem !== null) return problem;
  }
  return null;
}
