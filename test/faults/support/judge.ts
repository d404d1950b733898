import type { StartEntry } from '../worker/record-entry.js';
import { explainDuplicates, type Explanation } from './explain-duplicates.js';
import type { FaultLog } from './fault-log.js';
import { groupBy } from './group-by.js';
import type { RecordReader } from './record-reader.js';
import type { Booking, TaskBook } from './task-book.js';

/** What the records of a scenario show. */
export interface Verdict {
  readonly tasks: number;
  readonly deliveries: number;
  readonly duplicates: number;
  /** How many duplicate deliveries had which cause. */
  readonly causes: ReadonlyMap<string, number>;
  /** Effects that were made although they had been made before. */
  readonly duplicateEffects: number;
  /** Deliveries that found their effect made already. */
  readonly preventedEffects: number;
  readonly early: number;
  readonly lost: number;
  /** Tasks that are gone, and were allowed to be, because of what was injected. */
  readonly excused: number;
  /** Everything that breaks a promise, in words. */
  readonly problems: readonly string[];
}

/** What a judge looks at. */
export interface Evidence {
  readonly book: TaskBook;
  readonly records: RecordReader;
  readonly faults: FaultLog;
}

/** Most problems that are spelt out. */
const MAX_PROBLEMS = 20;

/** Compares what was promised with what the handlers wrote down. */
export function judge(evidence: Evidence): Verdict {
  const { book, records } = evidence;
  const starts = records.of('start');
  const startsById = groupBy(starts, nameOf);
  const effects = records.of('effect');
  const effectsById = groupBy(
    effects.filter(({ made }) => made),
    nameOf,
  );
  const problems: string[] = [];

  const lost = book.bookings.filter((booking) => booking.ending !== 'cancelled' && !startsById.has(nameOf(booking)));
  const notExcused = lost.filter((booking) => book.excuseOf(booking) === undefined);
  for (const booking of notExcused) problems.push(`lost: ${describe(booking)} was never delivered`);
  problems.push(...unfinished(book, { startsById, effectsById }));

  const early = findEarly(starts, book);
  for (const start of early) problems.push(`early: ${start.id} started at ${start.startMs}, due at ${start.dueMs}`);

  const effectsByLife = groupBy(
    effects.filter(({ made }) => made),
    (effect) => `${nameOf(effect)} ${effect.life}`,
  );
  const duplicateEffects = effects.filter(({ made }) => made).length - effectsByLife.size;
  if (duplicateEffects > 0) problems.push(`${duplicateEffects} effects were made twice`);

  const explanations = explainDuplicates(evidence);
  problems.push(...explanations.filter(({ cause }) => cause === null).map(({ problem }) => problem));

  return {
    tasks: book.bookings.length,
    deliveries: starts.length,
    duplicates: explanations.length,
    causes: countCauses(explanations),
    duplicateEffects,
    preventedEffects: effects.filter(({ made }) => !made).length,
    early: early.length,
    lost: notExcused.length,
    excused: lost.length - notExcused.length,
    problems: problems.slice(0, MAX_PROBLEMS),
  };
}

/** Tasks that ran and did not end as they should, and ids that had more lives than were asked for. */
function unfinished(
  book: TaskBook,
  found: {
    readonly startsById: ReadonlyMap<string, readonly unknown[]>;
    readonly effectsById: ReadonlyMap<string, readonly unknown[]>;
  },
): readonly string[] {
  const problems: string[] = [];
  for (const [name, bookings] of groupBy(book.bookings, nameOf)) {
    const effects = found.effectsById.get(name)?.length ?? 0;
    const wanted = bookings.filter(({ ending }) => ending === 'done').length;
    const free = bookings.some((booking) => isFree(booking) || book.excuseOf(booking) !== undefined);
    if (effects > bookings.length)
      problems.push(`${name} had ${effects} effects and was scheduled ${bookings.length} times`);
    if (effects < wanted && !free && found.startsById.has(name)) {
      problems.push(`${name} was delivered, but has ${effects} of ${wanted} effects`);
    }
  }
  return problems;
}

function findEarly(starts: readonly StartEntry[], book: TaskBook): readonly StartEntry[] {
  const promised = new Map<string, number>();
  for (const booking of book.bookings) {
    // Of an id that was scheduled again, the first delivery may belong to the earlier life.
    if (!promised.has(nameOf(booking))) promised.set(nameOf(booking), booking.dueMs ?? 0);
  }
  return starts.filter((start) => {
    const promisedMs = start.deliveries === 1 ? (promised.get(nameOf(start)) ?? 0) : 0;
    return start.startMs < Math.max(start.dueMs, promisedMs);
  });
}

function countCauses(explanations: readonly Explanation[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { cause } of explanations) {
    if (cause !== null) counts.set(cause, (counts.get(cause) ?? 0) + 1);
  }
  return counts;
}

function isFree({ ending }: Booking): boolean {
  return ending === 'any' || ending === 'cancelled';
}

function nameOf({ type, id }: { readonly type: string; readonly id: string }): string {
  return `${type}/${id}`;
}

function describe({ type, id, dueMs, bookedMs }: Booking): string {
  return `${type}/${id} (scheduled at ${bookedMs}, due at ${dueMs})`;
}
