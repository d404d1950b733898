/** What every task carries: as JSON, 120 bytes. */
export interface BenchPayload {
  /** The task's id once more, so that a handler needs nothing but the payload. */
  readonly orderId: string;
  readonly dueAtMs: number;
  readonly note: string;
}

/** One thing to do later, as every subject is given it. */
export interface BenchTask {
  readonly id: string;
  readonly payload: BenchPayload;
  /** Milliseconds since the epoch. */
  readonly dueAtMs: number;
}

/** Size of a payload as JSON, in bytes. */
export const PAYLOAD_BYTES = 120;

/** Length of an id: that of the ids which the library makes itself. */
export const ID_LENGTH = 21;

const INDEX_LENGTH = 7;
const RANDOM_LENGTH = ID_LENGTH - INDEX_LENGTH;

const EMPTY_PAYLOAD: BenchPayload = { orderId: 'x'.repeat(ID_LENGTH), dueAtMs: 1_000_000_000_000, note: '' };
const NOTE = '.'.repeat(PAYLOAD_BYTES - JSON.stringify(EMPTY_PAYLOAD).length);

/** Makes the task with this number; the same number gives the same id, and ids of following numbers are far apart. */
export function makeTask(index: number, dueAtMs: number): BenchTask {
  const id = taskIdOf(index);
  return { id, dueAtMs, payload: { orderId: id, dueAtMs, note: NOTE } };
}

/** Makes the tasks with the numbers from `first` on. */
export function makeTasks(first: number, count: number, dueAtMs: number | ((index: number) => number)): BenchTask[] {
  return Array.from({ length: count }, (_, offset) => {
    const index = first + offset;
    return makeTask(index, typeof dueAtMs === 'number' ? dueAtMs : dueAtMs(index));
  });
}

/** The id of the task with this number. */
export function taskIdOf(index: number): string {
  const high = scramble(index)
    .toString(36)
    .padStart(RANDOM_LENGTH / 2, 'a');
  const low = scramble(~index)
    .toString(36)
    .padStart(RANDOM_LENGTH / 2, 'a');
  return high + low + index.toString(36).padStart(INDEX_LENGTH, '0');
}

/** The number of the task with this id. */
export function taskIndexOf(id: string): number {
  return Number.parseInt(id.slice(RANDOM_LENGTH), 36);
}

/** Spreads numbers over 32 bits, so that ids arrive in no order, as random ids do. */
function scramble(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x45d9f3b);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x45d9f3b);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
