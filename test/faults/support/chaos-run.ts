import { elapse } from '../../support/elapse.js';
import type { TcpProxy } from '../../support/tcp-proxy.js';
import { waitFor } from '../../support/wait-for.js';
import type { Deed } from '../worker/deed.js';
import { type ChaosFault, type ChaosTargets, PROCESS_FAULTS, SERVER_FAULTS } from './chaos-faults.js';
import type { OutcomeRow } from './outcome-table.js';
import { ScenarioRun } from './scenario-run.js';
import { SeededRandom } from './seeded-random.js';
import { SingleSite } from './site.js';

/** How chaos is run. */
export interface ChaosWishes {
  readonly minutes: number;
  /** The same seed composes the same faults, in the same order and of the same lengths. */
  readonly seed: number;
  /** Path of the compiled worker. */
  readonly program: () => Promise<string>;
  /** Told what is injected, as it happens. */
  readonly log: (line: string) => void;
}

const WORKERS = 3;

/** Longest time without a fault between two of a kind. */
const LONGEST_CALM_MS = 1_500;

/** Tasks a second, by what their handlers do. */
const LOADS: readonly { readonly perSecond: number; readonly deeds: readonly Deed[] }[] = [
  { perSecond: 25, deeds: [{ kind: 'ok' }] },
  { perSecond: 6, deeds: [{ kind: 'slow', ms: 300 }] },
  { perSecond: 1, deeds: [{ kind: 'slow', ms: 4_000 }] },
  { perSecond: 3, deeds: [{ kind: 'throw' }, { kind: 'throw', afterMs: 50 }, { kind: 'ok' }] },
  { perSecond: 2, deeds: [{ kind: 'snooze', ms: 500 }, { kind: 'ok' }] },
  { perSecond: 0.1, deeds: [{ kind: 'exit' }, { kind: 'ok' }] },
  { perSecond: 0.1, deeds: [{ kind: 'block', ms: 2_500, next: { kind: 'ok' } }, { kind: 'ok' }] },
];

/** Composes faults at random for a while, under load, and judges in the end as every scenario is judged. */
export async function runChaos(wishes: ChaosWishes): Promise<OutcomeRow> {
  const { seed, program } = wishes;
  const run = await ScenarioRun.begin({
    name: `chaos for ${wishes.minutes} minutes, seed ${seed}`,
    seed,
    program,
    site: () => SingleSite.start({ appendOnly: true }),
    // Faults come so thick that a good task may lose several leases in a row.
    type: { dedupeFor: '1h', maxLostLeases: 30 },
  });
  try {
    await disturb(run, wishes);
    return await run.finish({ deadlineMs: 90_000 });
  } finally {
    await run.dispose();
  }
}

async function disturb(run: ScenarioRun, { minutes, seed, log }: ChaosWishes): Promise<void> {
  const targets: ChaosTargets = { run, networks: await startWorkers(run) };
  const endMs = performance.now() + minutes * 60_000;
  const stopLoads = LOADS.map((load, index) => run.load({ ...load, id: `load${index}`, withinMs: 2_000 }));
  // One fault of the server and one of a process or its network may come together; two of the server exclude each other.
  await Promise.all([
    injectUntil(endMs, { faults: SERVER_FAULTS, random: new SeededRandom(seed), targets, log }),
    injectUntil(endMs, { faults: PROCESS_FAULTS, random: new SeededRandom(seed + 1), targets, log }),
  ]);
  log('the faults are over');
  await Promise.all(stopLoads.map((stop) => stop()));
}

/** Each worker has a network of its own, and a supervisor. */
async function startWorkers(run: ScenarioRun): Promise<readonly TcpProxy[]> {
  const networks = await Promise.all(Array.from({ length: WORKERS }, () => run.proxy()));
  for (const via of networks) await run.startWorkers(1, { via, supervised: true });
  await waitFor(() => run.workers.every(({ process }) => process.reports.length > 0), {
    deadlineMs: 60_000,
    what: 'all workers to boot',
  });
  return networks;
}

async function injectUntil(
  endMs: number,
  parts: {
    readonly faults: readonly ChaosFault[];
    readonly random: SeededRandom;
    readonly targets: ChaosTargets;
    readonly log: (line: string) => void;
  },
): Promise<void> {
  const { faults, random, targets, log } = parts;
  while (performance.now() < endMs) {
    const fault = random.pick(faults);
    const ms = random.between(fault.leastMs, fault.mostMs);
    const victim = random.upTo(WORKERS - 1);
    log(`${fault.name}, ${ms} ms${faults === PROCESS_FAULTS ? `, worker ${victim + 1}` : ''}`);
    await fault.inject(targets, { ms, victim });
    await elapse(random.upTo(LONGEST_CALM_MS));
  }
}
