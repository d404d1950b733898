import { Injectable } from '@nestjs/common';
import { InvalidArgumentError } from '../core/errors.js';
import { DelayQueueRuntime } from '../runtime/delay-queue-runtime.js';
import { QueueLifecycle } from './queue-lifecycle.js';

/**
 * Starts and pauses what this process runs; other processes of the same queue are not affected.
 *
 * To stop a type in every process, use `DelayQueueAdmin.pause`.
 */
@Injectable()
export class DelayQueueRunner {
  constructor(
    private readonly runtime: DelayQueueRuntime,
    private readonly lifecycle: QueueLifecycle,
  ) {}

  /** Whether handlers have been started and not been stopped for good; also true while types are paused. */
  get started(): boolean {
    return this.lifecycle.started;
  }

  /** Task types that this process runs; empty with `consume: false`. */
  get types(): readonly string[] {
    return this.runtime.handledTypes;
  }

  /** Those of {@link types} that are paused in this process. */
  get pausedTypes(): readonly string[] {
    return this.runtime.suspended;
  }

  /**
   * Starts the handlers of an application with `autoStart: false`; calling it again changes nothing.
   *
   * Before the application is up, it only notes that they are to start with it.
   *
   * @throws QueueClosedError after the shutdown has begun.
   * @throws ConfigurationError when a type is set up differently in another process; no handler runs then.
   * @example
   * const app = await NestFactory.create(AppModule);
   * await app.listen(3000);
   * await app.get(DelayQueueRunner).start();
   */
  async start(): Promise<void> {
    await this.lifecycle.start();
  }

  /**
   * Claims no more tasks of a type in this process, or of any type, until {@link resume}; those that run, or are being
   * claimed at this moment, go on. It may be called before the start.
   *
   * @throws InvalidArgumentError when this process has no handler for the type.
   */
  pause(type?: string): void {
    for (const each of this.chosen(type)) this.runtime.suspend(each);
  }

  /**
   * Claims tasks of a type, or of every type, again; what fell due meanwhile and was not run elsewhere starts at once.
   *
   * @throws InvalidArgumentError when this process has no handler for the type.
   */
  resume(type?: string): void {
    for (const each of this.chosen(type)) this.runtime.resume(each);
  }

  private chosen(type: string | undefined): readonly string[] {
    if (type === undefined) return this.types;
    if (this.types.includes(type)) return [type];
    throw new InvalidArgumentError('type', `this process runs no handler for '${String(type)}'`);
  }
}
