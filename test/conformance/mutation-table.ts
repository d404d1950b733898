import { describe, expect, it } from '@jest/globals';
import type { Mutation, MutationResult } from '../../libs/delay-queue/src/ports/mutation.js';
import { TASK_STATES, type TaskStateName } from './task-states.js';
import type { TestLane } from './test-lane.js';

type Operation = 'schedule keep' | 'schedule replace' | 'reschedule' | 'runNow' | 'cancel' | 'redrive' | 'purgeDead';

/** The due time to expect: as before, the one asked for, now, or none. */
type ExpectedDue = 'as before' | 'as asked' | 'now' | 'now or before' | null;

type Cell = readonly [MutationResult['status'], MutationResult['state'], ExpectedDue];

const ASKED_DELAY_MS = 7_000;

const MUTATIONS: Readonly<Record<Operation, Mutation>> = {
  'schedule keep': {
    kind: 'schedule',
    id: 'X',
    envelope: 'new',
    due: { delayMs: ASKED_DELAY_MS },
    onDuplicate: 'keep',
  },
  'schedule replace': {
    kind: 'schedule',
    id: 'X',
    envelope: 'new',
    due: { delayMs: ASKED_DELAY_MS },
    onDuplicate: 'replace',
  },
  reschedule: { kind: 'reschedule', id: 'X', due: { delayMs: ASKED_DELAY_MS } },
  runNow: { kind: 'runNow', id: 'X' },
  cancel: { kind: 'cancel', id: 'X' },
  redrive: { kind: 'redrive', id: 'X' },
  purgeDead: { kind: 'purgeDead', id: 'X' },
};

type Column = 'waiting' | 'running' | 'dead' | 'done' | 'none';

const COLUMNS: Readonly<Record<Column, readonly TaskStateName[]>> = {
  waiting: [
    'waiting',
    'waiting again after a retry',
    'waiting again after a snooze',
    'waiting again after a release',
    'waiting again after a redrive',
  ],
  running: ['running', 'running with its lease over'],
  dead: ['dead'],
  done: ['done'],
  none: ['none', 'none, having been completed', 'done, the window over'],
};

/** The documented table: one row per operation, one column per state. */
const TABLE: Readonly<Record<Operation, Readonly<Record<Column, Cell>>>> = {
  'schedule keep': {
    waiting: ['duplicate', 'waiting', 'as before'],
    running: ['duplicate', 'running', 'as before'],
    dead: ['duplicate', 'dead', 'as before'],
    done: ['duplicate', 'done', null],
    none: ['created', 'waiting', 'as asked'],
  },
  'schedule replace': {
    waiting: ['replaced', 'waiting', 'as asked'],
    running: ['duplicate', 'running', 'as before'],
    dead: ['replaced', 'waiting', 'as asked'],
    done: ['duplicate', 'done', null],
    none: ['created', 'waiting', 'as asked'],
  },
  reschedule: {
    waiting: ['rescheduled', 'waiting', 'as asked'],
    running: ['running', 'running', 'as before'],
    dead: ['not_found', 'dead', 'as before'],
    done: ['not_found', 'done', null],
    none: ['not_found', 'none', null],
  },
  runNow: {
    waiting: ['rescheduled', 'waiting', 'now or before'],
    running: ['running', 'running', 'as before'],
    dead: ['not_found', 'dead', 'as before'],
    done: ['not_found', 'done', null],
    none: ['not_found', 'none', null],
  },
  cancel: {
    waiting: ['cancelled', 'none', null],
    running: ['running', 'running', 'as before'],
    dead: ['cancelled', 'none', null],
    done: ['not_found', 'done', null],
    none: ['not_found', 'none', null],
  },
  redrive: {
    waiting: ['not_found', 'waiting', 'as before'],
    running: ['running', 'running', 'as before'],
    dead: ['redriven', 'waiting', 'now'],
    done: ['not_found', 'done', null],
    none: ['not_found', 'none', null],
  },
  purgeDead: {
    waiting: ['not_found', 'waiting', 'as before'],
    running: ['not_found', 'running', 'as before'],
    dead: ['purged', 'none', null],
    done: ['not_found', 'done', null],
    none: ['not_found', 'none', null],
  },
};

const WRITING: ReadonlySet<string> = new Set(['created', 'replaced', 'rescheduled', 'cancelled', 'redriven', 'purged']);

interface Case {
  readonly operation: Operation;
  readonly from: TaskStateName;
  readonly cell: Cell;
}

const CASES: readonly Case[] = keysOf(TABLE).flatMap((operation) =>
  keysOf(TABLE[operation]).flatMap((column) =>
    COLUMNS[column].map((from) => ({ operation, from, cell: TABLE[operation][column] })),
  ),
);

const named = (cases: readonly Case[]): [string, Case][] =>
  cases.map((one) => [`${one.operation} of a task that is ${one.from}: ${one.cell[0]}`, one]);

/** Operation by state, as the documentation promises it. */
export function describeMutationTable(useLane: () => TestLane): void {
  describe('C23 each mutation in each state', () => {
    it.each(named(CASES))('%s', async (_name, { operation, from, cell }) => {
      const lane = useLane();
      const prepared = await TASK_STATES[from](lane);
      const [status, state, due] = cell;
      const dueAtMs = expectedDue(lane, due, prepared.dueAtMs);
      expect(await lane.mutate(MUTATIONS[operation])).toEqual({ status, state, dueAtMs });
      const record = await lane.get('X');
      expect(record?.state ?? 'none').toBe(state);
      expect(record?.dueAtMs ?? null).toBe(dueAtMs);
    });

    it.each(named(CASES.filter(({ cell }) => !WRITING.has(cell[0]))))(
      '%s, and nothing is written',
      async (_name, { operation, from }) => {
        const lane = useLane();
        await TASK_STATES[from](lane);
        const before = [await lane.get('X'), await lane.store.stats(lane.ref), await lane.peek()];
        await lane.mutate(MUTATIONS[operation]);
        expect([await lane.get('X'), await lane.store.stats(lane.ref), await lane.peek()]).toEqual(before);
      },
    );
  });
}

function expectedDue(lane: TestLane, due: ExpectedDue, beforeMs: number | null): number | null {
  switch (due) {
    case 'as before':
      return beforeMs;
    case 'as asked':
      // The clock stands a quarter past the millisecond: the whole delay ends in the one after.
      return lane.nowMs + 1 + ASKED_DELAY_MS;
    case 'now':
      return lane.nowMs;
    case 'now or before':
      return Math.min(beforeMs ?? lane.nowMs, lane.nowMs);
    case null:
      return null;
    default:
      return due satisfies never;
  }
}

function keysOf<Key extends string>(record: Readonly<Record<Key, unknown>>): readonly Key[] {
  return Object.keys(record) as Key[];
}
