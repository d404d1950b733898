import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { waitFor } from '../../support/wait-for.js';
import type { ShopCommand, ShopReport } from './shop-protocol.js';

/** Time for an app to boot on a busy machine. */
const BOOT_MS = 60_000;

/** What a shop process needs. */
export interface FaultShopParts {
  /** The compiled program. */
  readonly program: string;
  readonly traceFile: string;
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly prefix: string;
}

/** One process of the order app. */
export class FaultShop {
  private readonly reports: ShopReport[] = [];
  private output = '';

  private constructor(
    private readonly child: ChildProcess,
    private readonly traceFile: string,
  ) {
    child.on('message', (report: ShopReport) => this.reports.push(report));
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data) => (this.output += String(data)));
  }

  static async open({ program, traceFile, databaseUrl, redisUrl, prefix }: FaultShopParts): Promise<FaultShop> {
    const child = fork(program, {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: {
        PATH: process.env['PATH'],
        FAULT_SHOP: JSON.stringify({ traceFile }),
        DATABASE_URL: databaseUrl,
        DATABASE_POOL_SIZE: '5',
        REDIS_URL: redisUrl,
        QUEUE_PREFIX: prefix,
        ORDER_TIMEOUT: '1h',
      },
    });
    const shop = new FaultShop(child, traceFile);
    await waitFor(() => shop.reports.length > 0 || !shop.isAlive, { deadlineMs: BOOT_MS, what: 'the shop to open' });
    if (!shop.isAlive) throw new Error(`the shop did not open: ${shop.output.slice(-2_000)}`);
    return shop;
  }

  get isAlive(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** It was killed at one of its steps. */
  get wasKilled(): boolean {
    return this.child.signalCode === 'SIGKILL';
  }

  /** The order that it says it has placed. */
  get placed(): string | null {
    const report = this.reports.find(({ kind }) => kind === 'placed');
    return report?.kind === 'placed' ? report.orderId : null;
  }

  /** What it did when it was told to do something; the last line names the step before which it was killed. */
  get trace(): readonly string[] {
    return existsSync(this.traceFile) ? readFileSync(this.traceFile, 'utf8').trim().split('\n') : [];
  }

  tell(command: ShopCommand): void {
    const failed = this.reports.find(({ kind }) => kind === 'failed');
    if (failed?.kind === 'failed') throw new Error(failed.error);
    this.child.send(command);
  }

  async close(): Promise<void> {
    if (!this.isAlive) return;
    const ended = once(this.child, 'exit');
    this.tell({ kind: 'stop' });
    await ended;
  }

  async kill(): Promise<void> {
    if (!this.isAlive) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }
}
