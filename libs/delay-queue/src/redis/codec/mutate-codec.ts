import type { DueTime, Mutation, MutationResult, MutationStatus } from '../../ports/mutation.js';
import { MAX_BYTES_PER_CALL, MAX_TASKS_PER_CALL } from '../../ports/turn.js';
import type { TaskStateOrNone } from '../../task/task-state.js';
import { encodeRuns } from './run-length.js';

const STATUS_OF_LETTER: Readonly<Record<string, MutationStatus>> = {
  c: 'created',
  d: 'duplicate',
  r: 'replaced',
  m: 'rescheduled',
  x: 'cancelled',
  v: 'redriven',
  p: 'purged',
  R: 'running',
  n: 'not_found',
};

const STATE_OF_LETTER: Readonly<Record<string, TaskStateOrNone>> = {
  w: 'waiting',
  r: 'running',
  d: 'dead',
  o: 'done',
  n: 'none',
};

/** Stands for `cw` and the due time, where that is the one which was asked for. */
const CREATED_AS_ASKED = '=';

/** Most bytes of UTF-8 that one UTF-16 unit of a text takes. */
const MAX_BYTES_PER_UNIT = 3;

/** Splits mutations into calls, in order, none longer than a store call may be. */
export function splitMutations(mutations: readonly Mutation[]): (readonly Mutation[])[] {
  if (fitInOneCall(mutations)) return [mutations];
  const calls: Mutation[][] = [];
  let call: Mutation[] = [];
  let bytes = 0;
  for (const mutation of mutations) {
    const size = mutation.kind === 'schedule' ? Buffer.byteLength(mutation.envelope) : 0;
    if (call.length > 0 && (call.length >= MAX_TASKS_PER_CALL || bytes + size > MAX_BYTES_PER_CALL)) {
      calls.push(call);
      call = [];
      bytes = 0;
    }
    call.push(mutation);
    bytes += size;
  }
  if (call.length > 0) calls.push(call);
  return calls;
}

/** Writes the arguments of one call of the script `mutate`. */
export function encodeMutations(channel: string, mutations: readonly Mutation[]): string[] {
  const ids = JSON.stringify(mutations.map(({ id }) => id));
  const args = [channel, ids, encodeRuns(mutations.map(encodeOrder))];
  for (const mutation of mutations) if (mutation.kind === 'schedule') args.push(mutation.envelope);
  return args;
}

/**
 * Reads the script's answers, one for each mutation.
 *
 * @throws TypeError when the reply is something else.
 */
export function decodeMutationResults(reply: unknown, mutations: readonly Mutation[]): MutationResult[] {
  const answers = String(reply).split(',');
  return answers.map((answer, index) => decodeAnswer(answer, mutations[index]));
}

function decodeAnswer(answer: string, mutation: Mutation | undefined): MutationResult {
  if (answer === CREATED_AS_ASKED && mutation?.kind === 'schedule' && 'atMs' in mutation.due) {
    return { status: 'created', state: 'waiting', dueAtMs: mutation.due.atMs };
  }
  const status = STATUS_OF_LETTER[answer.charAt(0)];
  const state = STATE_OF_LETTER[answer.charAt(1)];
  if (status === undefined || state === undefined) throw new TypeError(`not an answer to a mutation: '${answer}'`);
  return { status, state, dueAtMs: answer.length > 2 ? Number(answer.slice(2)) : null };
}

/** Whether the mutations are few and short enough for one call, without counting bytes. */
function fitInOneCall(mutations: readonly Mutation[]): boolean {
  if (mutations.length === 0 || mutations.length > MAX_TASKS_PER_CALL) return false;
  let units = 0;
  for (const mutation of mutations) if (mutation.kind === 'schedule') units += mutation.envelope.length;
  return units * MAX_BYTES_PER_UNIT <= MAX_BYTES_PER_CALL;
}

function encodeOrder(mutation: Mutation): string {
  switch (mutation.kind) {
    case 'schedule':
      return (mutation.onDuplicate === 'replace' ? 'r' : 'k') + encodeDue(mutation.due);
    case 'reschedule':
      return `m${encodeDue(mutation.due)}`;
    case 'runNow':
      return 'n';
    case 'cancel':
      return 'c';
    case 'redrive':
      return 'v';
    case 'purgeDead':
      return 'p';
    default:
      return mutation satisfies never;
  }
}

function encodeDue(due: DueTime): string {
  return 'delayMs' in due ? `+${due.delayMs}` : String(due.atMs);
}
