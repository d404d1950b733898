/**
 * A worker process of the fault tests: a Nest application with a queue, told what to do by its parent and by payloads.
 *
 * It ends by itself once its application is closed and nothing is open any more, and when its parent is gone.
 */
import 'reflect-metadata';
import { type INestApplicationContext, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DelayQueueModule, DelayQueueProducer } from 'nestjs-delay-queue';
import { DelayQueueRuntime } from '../../../libs/delay-queue/src/runtime/delay-queue-runtime.js';
import { connectionTo } from './connection-to.js';
import { Effects } from './effects.js';
import { EventRecorder } from './event-recorder.js';
import { FaultHandler, handleType, makeIdempotent } from './fault-handler.js';
import { Gate } from './gate.js';
import { RecordLogger } from './record-logger.js';
import { watchForStalls } from './stall-watch.js';
import type { WorkerCommand, WorkerReport, WorkerSetup } from './worker-protocol.js';
import { WorkerRecord } from './worker-record.js';

type AnyProducer = { schedule(type: string, payload: unknown, options: object): Promise<unknown> };

function readSetup(): WorkerSetup {
  const text = process.env['FAULT_WORKER'];
  if (text === undefined) throw new Error('FAULT_WORKER is not set');
  return JSON.parse(text) as WorkerSetup;
}

function report(message: WorkerReport): void {
  process.send?.(message);
}

function orphaned(): void {
  process.exit(1);
}

/** Lets the process end when nothing else keeps it alive. */
function leave(): void {
  process.off('disconnect', orphaned);
  if (process.connected) process.disconnect();
}

function workerModule(setup: WorkerSetup, record: WorkerRecord, gate: Gate): new () => object {
  for (const type of setup.types) handleType(type);
  if (setup.idempotent !== undefined) makeIdempotent(setup.idempotent);
  class WorkerModule {}
  Module({
    imports: [DelayQueueModule.forRoot({ ...setup.queue, connection: connectionTo(setup.address) })],
    providers: [
      FaultHandler,
      EventRecorder,
      { provide: WorkerRecord, useValue: record },
      { provide: Gate, useValue: gate },
      { provide: Effects, useValue: new Effects(setup.effectFolder) },
    ],
  })(WorkerModule);
  return WorkerModule;
}

class Worker {
  private closing = false;

  constructor(
    private readonly app: INestApplicationContext,
    private readonly gate: Gate,
  ) {}

  obey(command: WorkerCommand): void {
    switch (command.kind) {
      case 'stop':
        void this.close();
        return;
      case 'let go':
        this.gate.letGo(command.id);
        return;
      case 'schedule':
        void this.schedule(command);
        return;
      default:
        command satisfies never;
    }
  }

  /** Closes the application, as often as it is asked to. */
  private async close(): Promise<void> {
    const startedAt = performance.now();
    await this.app.close();
    if (this.closing) return;
    this.closing = true;
    report({ kind: 'closed', tookMs: performance.now() - startedAt });
    leave();
  }

  private async schedule({ type, ids, delayMs }: Extract<WorkerCommand, { kind: 'schedule' }>): Promise<void> {
    const producer = this.app.get(DelayQueueProducer) as unknown as AnyProducer;
    const payload = { deeds: [{ kind: 'ok' }] };
    await Promise.all(ids.map((id) => producer.schedule(type, payload, { id, delay: delayMs })));
    report({ kind: 'scheduled', ids });
  }
}

async function main(): Promise<void> {
  const setup = readSetup();
  const record = new WorkerRecord(setup.recordFile);
  const gate = new Gate();
  watchForStalls(record);
  process.on('disconnect', orphaned);
  try {
    const app = await NestFactory.createApplicationContext(workerModule(setup, record, gate), {
      logger: new RecordLogger(record),
      abortOnError: false,
    });
    app.enableShutdownHooks();
    const worker = new Worker(app, gate);
    process.on('message', (command: WorkerCommand) => worker.obey(command));
    report({ kind: 'ready', holder: app.get(DelayQueueRuntime)['holder'] });
  } catch (error) {
    report({ kind: 'boot failed', error: String(error) });
    process.exitCode = 1;
    leave();
  }
}

void main();
