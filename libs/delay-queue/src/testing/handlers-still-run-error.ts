import type { RunningHandler } from './queue-watch.js';

/** The clock was to go on, and handlers that it has started do not end. */
export class HandlersStillRunError extends Error {
  override readonly name = 'HandlersStillRunError';

  constructor(
    /** The handlers, and the tasks they run. */
    readonly handlers: readonly { readonly handler: string; readonly type: string; readonly id: string }[],
    patienceMs: number,
  ) {
    const names = handlers.map(({ handler, type, id }) => `${handler} with '${id}' of '${type}'`).join(', ');
    super(
      `No handler has ended within ${patienceMs} ms of real time, and the clock stands still while they run: ${names}. ` +
        'If they need longer, raise `patience`. If your test has to do something first, do it before it awaits `advance`. ' +
        'If they wait for the clock itself, for example for their time limit, use `advance(…, { waitForHandlers: false })`.',
    );
  }

  /** Makes the error of these handlers. */
  static of(running: readonly RunningHandler[], patienceMs: number): HandlersStillRunError {
    const handlers = running.map(({ run, name }) => ({ handler: name, type: run.type, id: run.id }));
    return new HandlersStillRunError(handlers, patienceMs);
  }
}
