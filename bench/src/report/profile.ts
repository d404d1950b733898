import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { table } from './table.js';

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
}

/** The format of a CPU profile of V8. */
interface ProfileFile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** Lines of each profile. */
const TOP = 25;

/** Time in which the process waited, or wrote the profile. */
const NO_WORK = ['(idle)', 'dispatch'];

const PROFILE = /\.cpuprofile$/;

/** Says for every CPU profile of a folder in which functions the process itself spent its time. */
export async function reportProfiles(folder: string): Promise<string> {
  const files = (await readdir(folder)).filter((name) => PROFILE.test(name)).sort();
  const texts = await Promise.all(
    files.map(async (name) => reportProfile(name, await readProfile(join(folder, name)))),
  );
  return texts.join('\n\n');
}

async function readProfile(file: string): Promise<ProfileFile> {
  return JSON.parse(await readFile(file, 'utf8')) as ProfileFile;
}

function reportProfile(name: string, { nodes, samples, timeDeltas }: ProfileFile): string {
  const places = new Map(nodes.map((node) => [node.id, placeOf(node)]));
  const selfUs = new Map<string, number>();
  samples.forEach((id, index) => {
    const place = places.get(id) ?? '';
    selfUs.set(place, (selfUs.get(place) ?? 0) + (timeDeltas[index] ?? 0));
  });
  const idleUs = selfUs.get('(idle)') ?? 0;
  for (const place of NO_WORK) selfUs.delete(place);
  const busyUs = [...selfUs.values()].reduce((sum, us) => sum + us, 0);
  const top = [...selfUs].sort((one, other) => other[1] - one[1]).slice(0, TOP);
  const rows = top.map(([place, us]) => [((100 * us) / busyUs).toFixed(1), (us / 1000).toFixed(0), place]);
  const times = `busy ${(busyUs / 1000).toFixed(0)} ms, idle ${(idleUs / 1000).toFixed(0)} ms`;
  return `${name}: ${times}\n${table(['% of busy', 'ms', 'function'], rows)}`;
}

function placeOf({ callFrame: { functionName, url, lineNumber } }: ProfileNode): string {
  const file = url.replace(/^.*\/(node_modules|libs|bench)\//, '');
  const name = functionName === '' ? '(anonymous)' : functionName;
  return file === '' ? name : `${name} ${file}:${lineNumber + 1}`;
}
