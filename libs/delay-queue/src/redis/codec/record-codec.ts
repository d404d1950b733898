import type { ListableState, PartitionStats, TaskRecord } from '../../ports/task-record.js';

/** A row as the scripts `get` and `list` give it; reason and error only for dead tasks. */
type Row = readonly [id: string, envelope: string | null, counters: string, score: string, ...texts: string[]];

/** Letters under which the scripts know the states that can be listed. */
export const LETTER_OF_STATE: Readonly<Record<ListableState, string>> = { waiting: 'w', running: 'r', dead: 'd' };

const BLANK: Omit<TaskRecord, 'id' | 'state'> = {
  envelope: null,
  dueAtMs: null,
  deliveries: 0,
  failures: 0,
  lostLeases: 0,
  redrives: 0,
  leaseUntilMs: null,
  deadAtMs: null,
  reason: null,
  error: null,
  doneUntilMs: null,
};

/** Reads the reply of the script `get`. */
export function decodeRecord(id: string, reply: unknown): TaskRecord | null {
  const [letter, content] = reply as [string, (string | Row)?];
  switch (letter) {
    case 'w':
      return decodeRow('waiting', content);
    case 'r':
      return decodeRow('running', content);
    case 'd':
      return decodeRow('dead', content);
    case 'o':
      return { ...BLANK, id, state: 'done', doneUntilMs: Number(content) };
    case 'n':
      return null;
    default:
      throw new TypeError(`not the state of a task: '${letter}'`);
  }
}

/** Reads the reply of the script `list`. */
export function decodePage(state: ListableState, reply: unknown): TaskRecord[] {
  return (reply as unknown[]).map((row) => decodeRow(state, row));
}

/** Reads the reply of the script `stats`. */
export function decodeStats(reply: unknown): PartitionStats {
  const [now, waiting, overdue, running, dead, done, paused, next] = String(reply).split('|');
  return {
    nowUs: Number(now),
    waiting: Number(waiting),
    overdue: Number(overdue),
    running: Number(running),
    dead: Number(dead),
    done: Number(done),
    paused: paused === '1',
    nextDueAtMs: next === undefined || next === '' ? null : Number(next),
  };
}

function decodeRow(state: ListableState, row: unknown): TaskRecord {
  const [id, envelope, counters, score, reason, error] = row as Row;
  const [deliveries, failures, lostLeases, redrives, due] = counters.split('|');
  return {
    id,
    state,
    envelope,
    dueAtMs: due === undefined || due === '' ? null : Number(due),
    deliveries: Number(deliveries),
    failures: Number(failures),
    lostLeases: Number(lostLeases),
    redrives: Number(redrives),
    leaseUntilMs: state === 'running' ? Number(score) : null,
    deadAtMs: state === 'dead' ? Number(score) : null,
    reason: reason ?? null,
    error: error ?? null,
    doneUntilMs: null,
  };
}
