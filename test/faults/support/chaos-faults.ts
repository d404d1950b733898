import { elapse } from '../../support/elapse.js';
import type { TcpProxy } from '../../support/tcp-proxy.js';
import type { ScenarioRun } from './scenario-run.js';
import {
  crashServer,
  fillMemory,
  flushingScripts,
  freezeServer,
  killConnections,
  makeReadOnly,
  pauseClients,
} from './server-faults.js';
import type { Worker } from './worker.js';

/** What chaos works on. */
export interface ChaosTargets {
  readonly run: ScenarioRun;
  /** The network of each worker. */
  readonly networks: readonly TcpProxy[];
}

/** How long a fault lasts, and which worker it hits. */
export interface ChaosAim {
  readonly ms: number;
  readonly victim: number;
}

/** A fault that chaos may inject. */
export interface ChaosFault {
  readonly name: string;
  readonly leastMs: number;
  readonly mostMs: number;
  readonly inject: (targets: ChaosTargets, aim: ChaosAim) => Promise<void>;
}

/** Faults of the server: at most one at a time. */
export const SERVER_FAULTS: readonly ChaosFault[] = [
  { name: 'server kill -9', leastMs: 0, mostMs: 3_000, inject: crash },
  { name: 'server SIGSTOP', leastMs: 200, mostMs: 5_000, inject: ({ run }, { ms }) => freezeServer(run, ms) },
  { name: 'CLIENT PAUSE', leastMs: 200, mostMs: 4_000, inject: ({ run }, { ms }) => pauseClients(run, ms) },
  { name: 'CLIENT KILL normal', leastMs: 0, mostMs: 0, inject: ({ run }) => killConnections(run, 'normal') },
  { name: 'CLIENT KILL pubsub', leastMs: 0, mostMs: 0, inject: ({ run }) => killConnections(run, 'pubsub') },
  { name: 'REPLICAOF', leastMs: 200, mostMs: 4_000, inject: ({ run }, { ms }) => makeReadOnly(run, ms) },
  { name: 'maxmemory', leastMs: 200, mostMs: 3_000, inject: ({ run }, { ms }) => fillMemory(run, ms) },
  {
    name: 'SCRIPT FLUSH',
    leastMs: 200,
    mostMs: 2_000,
    inject: ({ run }, { ms }) => flushingScripts(run, () => elapse(ms)),
  },
];

/** Faults of one worker's process or network: at most one at a time. */
export const PROCESS_FAULTS: readonly ChaosFault[] = [
  { name: 'SIGKILL', leastMs: 0, mostMs: 0, inject: onWorker('SIGKILL', (worker) => worker.kill()) },
  { name: 'SIGTERM', leastMs: 0, mostMs: 0, inject: onWorker('SIGTERM', terminate) },
  {
    name: 'SIGSTOP',
    leastMs: 200,
    mostMs: 8_000,
    inject: onWorker('SIGSTOP', async (worker, ms) => {
      worker.freeze();
      await elapse(ms);
      worker.thaw();
    }),
  },
  { name: 'network cut', leastMs: 0, mostMs: 4_000, inject: onNetwork('network cut', (network) => network.cut()) },
  {
    name: 'network silent',
    leastMs: 200,
    mostMs: 4_000,
    inject: onNetwork('network silent', (network) => network.goSilent()),
  },
  {
    name: 'slow network',
    leastMs: 500,
    mostMs: 4_000,
    inject: onNetwork('slow network', (network) => network.slowDown(150)),
  },
  {
    name: 'requests held',
    leastMs: 200,
    mostMs: 4_000,
    inject: onNetwork('requests held', (network) => network.hold('requests')),
  },
  {
    name: 'replies held',
    leastMs: 200,
    mostMs: 4_000,
    inject: onNetwork('replies held', (network) => network.hold('replies')),
  },
];

/** A file that is synced once a second may lack what was acknowledged in the second before the kill. */
async function crash({ run }: ChaosTargets, { ms }: ChaosAim): Promise<void> {
  const killedMs = Date.now();
  await crashServer(run, ms);
  run.book.excuse(
    'of the last second before the kill',
    ({ bookedMs }) => bookedMs >= killedMs - 1_000 && bookedMs <= killedMs,
  );
}

async function terminate(worker: Worker): Promise<void> {
  const { process } = worker;
  process.signal('SIGTERM');
  await process.ended();
}

function onWorker(
  name: string,
  work: (worker: Worker, ms: number) => void | Promise<void>,
): (targets: ChaosTargets, aim: ChaosAim) => Promise<void> {
  return async ({ run }, { ms, victim }) => {
    const worker = run.workers[victim];
    if (worker !== undefined) await run.inject(name, () => work(worker, ms), worker);
  };
}

function onNetwork(
  name: string,
  disturb: (network: TcpProxy) => void,
): (targets: ChaosTargets, aim: ChaosAim) => Promise<void> {
  return async ({ run, networks }, { ms, victim }) => {
    const network = networks[victim];
    const worker = run.workers[victim];
    if (network === undefined || worker === undefined) return;
    // The process may be replaced meanwhile, hence 'all'.
    await run.inject(name, async () => {
      disturb(network);
      await elapse(ms);
      network.restore();
    });
  };
}
