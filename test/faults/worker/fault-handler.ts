import { existsSync } from 'node:fs';
import { setTimeout as elapse } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { type DelayedTask, type HandlerOptions, Idempotent, OnDelayedTask, TaskOutcome } from 'nestjs-delay-queue';
import type { Deed, DeedPayload } from './deed.js';
import { Effects } from './effects.js';
import { Gate } from './gate.js';
import { type Idempotency, keyOfTask } from './worker-protocol.js';
import { WorkerRecord } from './worker-record.js';

/** A blocked event loop looks so often whether it may go on. */
const BLOCKED_STEP_MS = 5;

type AnyTask = DelayedTask<string>;

/** Handles the tasks of these tests: does what the payload says, and writes down what it did. */
@Injectable()
export class FaultHandler {
  constructor(
    @Inject(WorkerRecord) private readonly record: WorkerRecord,
    @Inject(Effects) private readonly effects: Effects,
    @Inject(Gate) private readonly gate: Gate,
  ) {}

  async handle(payload: unknown, task: AnyTask): Promise<unknown> {
    this.recordStart(task);
    try {
      const outcome = await this.perform(deedOf(payload as DeedPayload, task), task);
      this.recordEnd(task, outcome instanceof TaskOutcome ? 'snoozed' : 'ok');
      return outcome;
    } catch (error) {
      this.recordEnd(task, error === task.signal.reason ? 'gave up' : 'threw');
      throw error;
    }
  }

  private async perform(deed: Deed, task: AnyTask): Promise<unknown> {
    switch (deed.kind) {
      case 'ok':
        this.makeEffect(task);
        return undefined;
      case 'slow':
        await elapse(deed.ms, undefined, { signal: task.signal }).catch(() => task.signal.throwIfAborted());
        this.makeEffect(task);
        return undefined;
      case 'throw':
        if (deed.afterMs !== undefined) await elapse(deed.afterMs);
        throw new Error('thrown by a deed'.padEnd(deed.errorBytes ?? 0, '.'));
      case 'block':
        this.block('ms' in deed ? afterMs(deed.ms) : () => existsSync(deed.untilFile));
        return this.perform(deed.next, task);
      case 'held':
        await this.gate.pass(task.id, task.signal);
        return this.perform(deed.next, task);
      case 'exit':
        this.record.add({ at: 'stall', what: 'process.exit', fromMs: Date.now(), toMs: Date.now() });
        return process.exit(1);
      case 'snooze':
        return TaskOutcome.snooze(deed.ms);
      case 'never':
        return new Promise(() => undefined);
      default:
        return deed satisfies never;
    }
  }

  private makeEffect({ type, id, life }: AnyTask): void {
    const made = this.effects.make(type, id, life);
    this.record.add({ at: 'effect', type, id, life, made, atMs: Date.now() });
  }

  private block(isOver: () => boolean): void {
    const fromMs = Date.now();
    while (!isOver()) sleepSync(BLOCKED_STEP_MS);
    this.record.add({ at: 'stall', what: 'blocked event loop', fromMs, toMs: Date.now() });
  }

  private recordStart(task: AnyTask): void {
    const { type, id, life, deliveries, failures, lostLeases, redrives, fence, dueAt } = task;
    const counts = { deliveries, failures, lostLeases, redrives, fence };
    this.record.add({ at: 'start', type, id, life, ...counts, dueMs: dueAt.getTime(), startMs: Date.now() });
  }

  private recordEnd({ type, id, fence, signal }: AnyTask, how: 'ok' | 'threw' | 'snoozed' | 'gave up'): void {
    this.record.add({ at: 'end', type, id, fence, how, aborted: signal.aborted, atMs: Date.now() });
  }
}

/** Makes the handler of these tests that of a type; the names of types are not known before the worker starts. */
export function handleType(type: string, options: HandlerOptions = {}): void {
  const decorate = OnDelayedTask as (type: string, options: HandlerOptions) => MethodDecorator;
  decorate(type, options)(FaultHandler.prototype, 'handle', handlerDescriptor());
}

/** Makes the handler of these tests idempotent. */
export function makeIdempotent(how: Idempotency): void {
  const options = how === 'own' ? {} : { key: (_payload: unknown, task: AnyTask) => keyOfTask(task) };
  Idempotent(options)(FaultHandler.prototype, 'handle', handlerDescriptor());
}

function handlerDescriptor(): PropertyDescriptor {
  const descriptor = Object.getOwnPropertyDescriptor(FaultHandler.prototype, 'handle');
  if (descriptor === undefined) throw new Error('the handler has no method');
  return descriptor;
}

function deedOf({ deeds }: DeedPayload, { deliveries }: AnyTask): Deed {
  return deeds[Math.min(deliveries, deeds.length) - 1] ?? { kind: 'ok' };
}

function afterMs(ms: number): () => boolean {
  const untilMs = performance.now() + ms;
  return () => performance.now() >= untilMs;
}

/** Stops this thread, and with it everything else that it has to do. */
function sleepSync(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
