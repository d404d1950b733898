import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RedisServer } from '../../support/redis-server.js';
import { TcpProxy } from '../../support/tcp-proxy.js';
import { waitFor } from '../../support/wait-for.js';
import type { ServerAddress } from '../worker/worker-protocol.js';
import { FaultLog, withCount } from './fault-log.js';
import { groupBy } from './group-by.js';
import { judge, type Verdict } from './judge.js';
import { Latch } from './latch.js';
import { type OutcomeRow, rowOf } from './outcome-table.js';
import { QueueClient } from './queue-client.js';
import { QueueKeys } from './queue-keys.js';
import { type EntryAt, RecordReader } from './record-reader.js';
import { queueOptionsOf, type ScenarioParts, typesOf } from './scenario-parts.js';
import { SeededRandom } from './seeded-random.js';
import { SingleSite, type Site } from './site.js';
import { TaskBook } from './task-book.js';
import type { Worker } from './worker.js';
import { WorkerFleet, type WorkerWishes } from './worker-fleet.js';
import { type TaskWishes, Workload } from './workload.js';

/** Two sweeps and what a busy machine adds: by then everybody has looked at the server. */
const RECOVERY_DEADLINE_MS = 15_000;

/** How a scenario ends. */
export interface FinishWishes {
  /** Time for all tasks to end. @default 30000 */
  readonly deadlineMs?: number;
  /** Dead letters that are there in the end. @default one for each task that had to become one */
  readonly deadLetters?: number;
}

/** One scenario while it runs: its servers, workers, tasks and faults, and in the end its verdict. */
export class ScenarioRun {
  readonly faults = new FaultLog();
  readonly book = new TaskBook();
  readonly random: SeededRandom;
  readonly records: RecordReader;
  readonly keys: QueueKeys;
  readonly fleet: WorkerFleet;
  private readonly workload: Workload;
  private readonly proxies: TcpProxy[] = [];
  private readonly startedMs = performance.now();
  private latches = 0;
  private opening: Promise<QueueClient> | null = null;
  private finishing: Promise<OutcomeRow> | null = null;

  private constructor(
    private readonly parts: ScenarioParts,
    private readonly folder: string,
    readonly site: Site,
  ) {
    const queue = queueOptionsOf(parts);
    const types = typesOf(parts);
    const [firstType = ''] = types;
    const recordFolder = join(folder, 'records');
    this.random = new SeededRandom(parts.seed ?? 1);
    this.records = new RecordReader(recordFolder);
    this.keys = new QueueKeys(site, { prefix: queue.prefix ?? '', types, partitions: parts.type?.partitions ?? 1 });
    this.fleet = new WorkerFleet({
      program: parts.program,
      address: site.address,
      queue,
      types,
      idempotent: parts.idempotent,
      recordFolder,
      effectFolder: join(folder, 'effects'),
      holderName: () => this.keys.holder(firstType),
    });
    this.workload = new Workload({
      client: () => this.client(),
      book: this.book,
      random: this.random,
      defaultType: firstType,
    });
  }

  static async begin(parts: ScenarioParts): Promise<ScenarioRun> {
    const folder = await mkdtemp(join(tmpdir(), 'delay-queue-faults-'));
    await Promise.all(['records', 'effects'].map((name) => mkdir(join(folder, name))));
    return new ScenarioRun(parts, folder, await (parts.site?.() ?? SingleSite.start()));
  }

  /** The server of a scenario that has one. */
  get server(): RedisServer {
    if (this.site instanceof SingleSite) return this.site.server;
    throw new Error('this scenario has more than one server');
  }

  get workers(): readonly Worker[] {
    return this.fleet.workers;
  }

  /** The producer's and administrator's application; opened when first asked for. */
  client(): Promise<QueueClient> {
    this.opening ??= QueueClient.open(this.site.address, queueOptionsOf(this.parts));
    return this.opening;
  }

  /** Opens the producer's and administrator's application another way than {@link client} does by itself. */
  async useClient(address: ServerAddress): Promise<void> {
    this.opening = QueueClient.open(address, queueOptionsOf(this.parts));
    await this.opening;
  }

  /** Puts a network between workers and server. */
  async proxy(): Promise<TcpProxy> {
    const proxy = await TcpProxy.start(this.server.port);
    this.proxies.push(proxy);
    return proxy;
  }

  /** Starts workers, and resolves when their handlers run. */
  async startWorkers(count: number, wishes?: WorkerWishes): Promise<readonly Worker[]> {
    return this.fleet.start(count, wishes);
  }

  /** Starts one worker. */
  async startWorker(wishes?: WorkerWishes): Promise<Worker> {
    const [worker] = await this.fleet.start(1, wishes);
    return worker as Worker;
  }

  /** Schedules so many tasks; rejects when one of the calls fails. Returns their ids. */
  async schedule(count: number, wishes?: TaskWishes): Promise<readonly string[]> {
    return this.workload.schedule(count, wishes);
  }

  /** Lets a worker schedule so many tasks. */
  async scheduleFrom(worker: Worker, count: number, wishes: { readonly delayMs: number }): Promise<void> {
    return this.workload.scheduleFrom(worker, count, wishes);
  }

  /** Schedules tasks all the time, until the returned function is called. */
  load(wishes: TaskWishes & { readonly perSecond: number }): () => Promise<void> {
    return this.workload.load(wishes);
  }

  /** Injects a fault: while the body runs and no longer, deliveries may be disturbed by it. */
  async inject<T>(what: string, body: () => T | Promise<T>, on: Worker | 'all' = 'all'): Promise<T> {
    return this.faults.during(what, on === 'all' ? 'all' : on.label, body);
  }

  /** Injects a fault that nothing may come of: no delivery is excused by it. */
  async injectHarmless<T>(what: string, body: () => T | Promise<T>): Promise<T> {
    return this.faults.during(what, 'none', body);
  }

  /** Ends a worker as a crash does. */
  async killWorker(worker: Worker): Promise<void> {
    await this.inject('SIGKILL', () => worker.kill(), worker);
  }

  /** Waits until a task has been delivered so often, and returns its last delivery. */
  async started(id: string, times = 1): Promise<EntryAt<'start'>> {
    const find = (): EntryAt<'start'> | undefined =>
      this.records.of('start').filter((start) => start.id === id)[times - 1];
    return (await waitFor(find, { deadlineMs: 30_000, what: `delivery ${times} of ${id}` })) as EntryAt<'start'>;
  }

  /** Events of one kind that workers have noticed, of one task if an id is given. */
  events(kind: string, id?: string): readonly EntryAt<'event'>[] {
    return this.records.of('event').filter((event) => event.kind === kind && (id === undefined || event.id === id));
  }

  /** A file that lets blocked handlers go on once it is there. */
  latch(): Latch {
    return new Latch(join(this.folder, `latch-${this.latches++}`));
  }

  /** Waits until nothing waits and nothing runs. */
  async drained({ deadlineMs = 30_000 }: FinishWishes = {}): Promise<void> {
    await waitFor(() => this.isDrained(), { deadlineMs, what: 'all tasks to end' });
  }

  /** Waits for all tasks to end, closes the workers and judges; throws when a promise was broken. */
  finish(wishes: FinishWishes = {}): Promise<OutcomeRow> {
    this.finishing ??= this.end(wishes);
    return this.finishing;
  }

  /** Ends everything, whatever state it is in. */
  async dispose(): Promise<void> {
    await this.fleet.dispose();
    const client = await this.opening?.catch(() => null);
    await client?.close();
    await Promise.all(this.proxies.map((proxy) => proxy.stop()));
    await this.site.stop();
    this.records.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  private async end(wishes: FinishWishes): Promise<OutcomeRow> {
    await this.drained(wishes);
    await this.connectedAgain();
    await this.fleet.close();
    await this.keys.checkAgreement();
    const verdict = judge(this);
    const row = this.row(verdict);
    const dead = wishes.deadLetters ?? this.book.deaths;
    const leftovers = await this.keys.leftovers({
      dead,
      doneMarks: this.parts.type?.dedupeFor !== undefined,
      idempotencyMarks: this.parts.idempotent !== undefined,
    });
    const problems = [...verdict.problems, ...leftovers];
    if (problems.length > 0) throw new Error([`${this.parts.name}:`, ...problems, JSON.stringify(row)].join('\n  '));
    return row;
  }

  /** No living worker may go on taking the server for away when everything is over. */
  private async connectedAgain(): Promise<void> {
    const problems = (): readonly string[] =>
      this.workers.flatMap(({ isAlive, label }) => {
        const changes = this.records.of('event').filter(({ by, kind }) => by === label && kind.startsWith('store '));
        const last = changes.at(-1);
        return isAlive && last?.kind === 'store down' ? [`${label} since ${last.atMs}: ${last.detail}`] : [];
      });
    await waitFor(() => problems().length === 0, { deadlineMs: RECOVERY_DEADLINE_MS, what: 'the workers' }).catch(
      () => {
        throw new Error(`workers still take the server for away: ${problems().join('; ')}`);
      },
    );
  }

  /** Faults that handlers made themselves. */
  private deedsAsFaults(): readonly string[] {
    const deeds = this.records.of('stall').filter(({ what }) => what !== 'stalled machine');
    return [...groupBy(deeds, ({ what }) => what)].map(([what, each]) => withCount(what, each.length));
  }

  private async isDrained(): Promise<boolean> {
    // A server that is away has not been drained.
    const counts = await this.keys.counts().catch(() => null);
    return counts !== null && counts.due + counts.leased === 0;
  }

  private row(verdict: Verdict): OutcomeRow {
    return rowOf(verdict, {
      scenario: this.parts.name,
      injected: [...this.faults.summary(), ...this.deedsAsFaults()],
      refused: this.book.refused,
      seconds: (performance.now() - this.startedMs) / 1000,
    });
  }
}
