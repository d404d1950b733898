import { isStoreError } from 'nestjs-delay-queue';
import type { Deed, DeedPayload } from '../worker/deed.js';
import { elapse } from '../../support/elapse.js';
import { waitFor } from '../../support/wait-for.js';
import type { QueueClient } from './queue-client.js';
import type { SeededRandom } from './seeded-random.js';
import type { Ending, TaskBook } from './task-book.js';
import type { Worker } from './worker.js';

/** Which tasks are scheduled, and what their handlers do. */
export interface TaskWishes {
  /** @default the scenario's only type */
  readonly type?: string;
  /** Ids are this, a dash and a number; of a single task exactly this. @default 'task' */
  readonly id?: string;
  /** @default 0 */
  readonly delayMs?: number;
  /** Takes a random delay up to this instead. */
  readonly withinMs?: number;
  /** One due time for all instead of a delay. */
  readonly at?: Date;
  /** One deed per delivery, the last for all that follow. @default has its effect at once */
  readonly deeds?: readonly Deed[];
  readonly maxRetries?: number;
  /** Its due time will be changed, so it may run before the time that `schedule` answered. @default false */
  readonly movable?: boolean;
  /** @default 'done' */
  readonly ending?: Ending;
}

/** Background load: how much, and of what. */
export interface LoadWishes extends TaskWishes {
  readonly perSecond: number;
}

/** Pause before a call of `schedule` that failed is repeated. */
const REPEAT_AFTER_MS = 100;

/** How often background load is added to. */
const LOAD_TICK_MS = 20;

/** Schedules the tasks of a scenario, and enters every one that was promised into the book. */
export class Workload {
  private lastNumber = 0;

  constructor(
    private readonly parts: {
      readonly client: () => Promise<QueueClient>;
      readonly book: TaskBook;
      readonly random: SeededRandom;
      readonly defaultType: string;
    },
  ) {}

  /** Schedules so many tasks; rejects when one of the calls fails. Returns their ids. */
  async schedule(count: number, wishes: TaskWishes = {}): Promise<readonly string[]> {
    const ids = Array.from({ length: count }, () => this.newId(count === 1, wishes));
    await Promise.all(ids.map((id) => this.book(id, wishes)));
    return ids;
  }

  /** Lets a worker schedule so many tasks that have their effect at once. */
  async scheduleFrom(worker: Worker, count: number, { delayMs }: { readonly delayMs: number }): Promise<void> {
    const ids = Array.from({ length: count }, () => this.newId(false, {}));
    const { process } = worker;
    const type = this.parts.defaultType;
    process.tell({ kind: 'schedule', type, ids, delayMs });
    await waitFor(() => process.reports.some((report) => report.kind === 'scheduled' && report.ids[0] === ids[0]), {
      what: 'a worker to schedule',
    });
    for (const id of ids) this.parts.book.add({ type, id, dueMs: null, bookedMs: Date.now(), ending: 'done' });
  }

  /** Schedules tasks all the time, and repeats what was refused with the same id, until the returned function is called. */
  load({ perSecond, ...wishes }: LoadWishes): () => Promise<void> {
    const pending = new Set<Promise<void>>();
    const startedMs = performance.now();
    let count = 0;
    const tick = setInterval(() => {
      for (; count < ((performance.now() - startedMs) / 1000) * perSecond; count++) {
        const booked = this.bookStubbornly(this.newId(false, wishes), wishes).finally(() => pending.delete(booked));
        pending.add(booked);
      }
    }, LOAD_TICK_MS);
    return async () => {
      clearInterval(tick);
      await Promise.all(pending);
    };
  }

  private async bookStubbornly(id: string, wishes: TaskWishes): Promise<void> {
    for (;;) {
      try {
        await this.book(id, wishes);
        return;
      } catch (error) {
        if (!isStoreError(error)) throw error;
        this.parts.book.refused++;
        await elapse(REPEAT_AFTER_MS);
      }
    }
  }

  private async book(id: string, wishes: TaskWishes): Promise<void> {
    const { client, book, defaultType, random } = this.parts;
    const { type = defaultType, delayMs = 0, withinMs, at, deeds = [{ kind: 'ok' }], maxRetries } = wishes;
    const { producer } = await client();
    const payload: DeedPayload = { deeds };
    const time = at === undefined ? { delay: withinMs === undefined ? delayMs : random.upTo(withinMs) } : { at };
    const options = { ...time, id, ...(maxRetries !== undefined && { maxRetries }) };
    const { dueAt } = await producer.schedule(type, payload, options);
    const dueMs = wishes.movable === true ? null : (dueAt?.getTime() ?? null);
    book.add({ type, id, dueMs, bookedMs: Date.now(), ending: wishes.ending ?? 'done' });
  }

  private newId(isSingle: boolean, { id = 'task' }: TaskWishes): string {
    this.lastNumber++;
    return isSingle && id !== 'task' ? id : `${id}-${this.lastNumber}`;
  }
}
