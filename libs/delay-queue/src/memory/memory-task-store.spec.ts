import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ConfigurationError, QueueClosedError } from '../core/errors.js';
import { MAX_DELAY_MS } from '../core/duration.js';
import { VirtualClock } from '../core/virtual-clock.js';
import type { Mutation, MutationResult } from '../ports/mutation.js';
import type { TurnReply, TurnRequest } from '../ports/turn.js';
import type { Wakeup } from '../ports/wakeup.js';
import { MemoryTaskStore } from './memory-task-store.js';

const REF = { type: 'mail', partition: 0 };
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let clock: VirtualClock;
let store: MemoryTaskStore;
let wakeups: Wakeup[];

beforeEach(async () => {
  clock = new VirtualClock();
  store = new MemoryTaskStore({ clock });
  wakeups = [];
  store.wakeups$.subscribe((wakeup) => wakeups.push(wakeup));
  await store.listen([REF]);
  await store.init(REF);
});

afterEach(async () => {
  await store.close();
});

async function mutate(mutation: Mutation): Promise<MutationResult> {
  const [answer] = await store.mutate(REF, [mutation]);
  if (answer?.ok !== true) throw new Error('the store refused');
  return answer.result;
}

function schedule(id: string, delayMs: number): Promise<MutationResult> {
  return mutate({ kind: 'schedule', id, due: { delayMs }, envelope: id, onDuplicate: 'keep' });
}

function turn(changes: Partial<TurnRequest> = {}): Promise<TurnReply> {
  return store.turn({
    ref: REF,
    holder: 'me',
    settles: [],
    extensions: [],
    claim: { limit: 10, suspects: 'take', mayCallForHelp: false },
    arm: 'leave',
    leaseMs: 30_000,
    maxLostLeases: 5,
    deadKeepMs: 14 * DAY_MS,
    deadMax: 10_000,
    ...changes,
  });
}

const idsOf = ({ claimed }: TurnReply): string[] => claimed.map(({ id }) => id);

describe('MemoryTaskStore', () => {
  it.each([2 ** 31 - 1, 2 ** 31, 2 ** 32 + 5_000, 30 * DAY_MS, 20 * 365 * DAY_MS, MAX_DELAY_MS])(
    'C14 hands a task with a delay of %d ms out in its millisecond and not before',
    async (delayMs) => {
      const { dueAtMs } = await schedule('X', delayMs);
      expect(dueAtMs).toBe(clock.nowMs() + delayMs);
      clock.jumpMs(delayMs - 1);
      expect(idsOf(await turn())).toEqual([]);
      clock.jumpMs(1);
      expect(idsOf(await turn())).toEqual(['X']);
    },
  );

  it('does not hand a task out in the millisecond before, whatever part of it has passed', async () => {
    clock.jumpMs(0.25);
    await schedule('X', 1);
    clock.jumpMs(1.7);
    expect(idsOf(await turn())).toEqual([]);
    clock.jumpMs(0.05);
    expect(idsOf(await turn())).toEqual(['X']);
  });

  it.each([
    ['the far one first', [6 * HOUR_MS, 60_000, 1_000]],
    ['the near one first', [1_000, 60_000, 6 * HOUR_MS]],
  ])('C16 hands out the task that is due in one second after one second, %s', async (_order, delays) => {
    for (const delayMs of delays) await schedule(`in ${delayMs}`, delayMs);
    const startMs = clock.nowMs();
    const reply = await turn({ arm: 'take' });
    expect(reply.nextAtMs).toBe(startMs + 1_000);
    clock.jumpMs(1_000);
    expect(idsOf(await turn())).toEqual(['in 1000']);
    clock.jumpMs(6 * HOUR_MS);
    expect(idsOf(await turn())).toEqual(['in 1000', 'in 60000', `in ${6 * HOUR_MS}`]);
  });

  it('C17 moves a waiting task to the exact new time, and changes nothing while it runs or when it is gone', async () => {
    const reschedule = (delayMs: number) => mutate({ kind: 'reschedule', id: 'X', due: { delayMs } });
    await schedule('X', 5 * 60_000);
    const startMs = clock.nowMs();
    expect(await reschedule(60 * 60_000)).toEqual({
      status: 'rescheduled',
      state: 'waiting',
      dueAtMs: startMs + 60 * 60_000,
    });
    clock.jumpMs(5 * 60_000);
    expect(idsOf(await turn())).toEqual([]);
    const { dueAtMs } = await reschedule(1_000);
    clock.jumpMs(1_000);
    const [task] = (await turn()).claimed;
    expect(await reschedule(1)).toEqual({ status: 'running', state: 'running', dueAtMs });
    await turn({ settles: [{ kind: 'complete', id: 'X', fence: task?.fence ?? 0, dedupeForMs: 0 }] });
    expect(await reschedule(1)).toEqual({ status: 'not_found', state: 'none', dueAtMs: null });
    expect(await store.get(REF, 'X')).toBeNull();
  });

  it('takes a clock that steps back as it is', async () => {
    let nowMs = clock.nowMs();
    const steppingClock = { nowMs: () => nowMs, monotonicMs: () => 0, setTimer: () => ({ cancel: () => undefined }) };
    store = new MemoryTaskStore({ clock: steppingClock });
    await store.init(REF);
    await schedule('X', 1_000);
    nowMs -= 2_000;
    expect(idsOf(await turn())).toEqual([]);
    nowMs += 3_000;
    expect(idsOf(await turn())).toEqual(['X']);
  });

  it('gives signals after the call, in order, and only of the partitions that were asked for', async () => {
    const other = { type: 'mail', partition: 1 };
    const answers = [
      store.signal({ kind: 'ping', ref: REF, holder: 'a' }),
      store.signal({ kind: 'ping', ref: other, holder: 'b' }),
      store.signal({ kind: 'calm', ref: REF, holder: 'c' }),
    ];
    expect(wakeups).toEqual([]);
    await Promise.all(answers);
    expect(wakeups).toEqual([
      { kind: 'ping', ref: REF, holder: 'a' },
      { kind: 'calm', ref: REF, holder: 'c' },
    ]);
  });

  it('wakes the holder of the arm for what comes before its timer, and for nothing else', async () => {
    await schedule('far', 60_000);
    await turn({ arm: 'take' });
    wakeups.length = 0;
    await schedule('farther', 70_000);
    expect(wakeups).toEqual([]);
    await schedule('near', 10_000);
    expect(wakeups).toEqual([{ kind: 'wake', ref: REF, holder: 'me' }]);
  });

  it('wakes the holder for what is left when the earliest of one call is cancelled in that call', async () => {
    await schedule('far', 60_000);
    await turn({ arm: 'take' });
    wakeups.length = 0;
    const add = (id: string, delayMs: number): Mutation => ({
      kind: 'schedule',
      id,
      due: { delayMs },
      envelope: id,
      onDuplicate: 'keep',
    });
    await store.mutate(REF, [add('first', 1_000), add('second', 2_000), { kind: 'cancel', id: 'first' }]);
    expect(wakeups).toEqual([{ kind: 'wake', ref: REF, holder: 'me' }]);
  });

  it('never lets an arm lapse unless it is told how long it holds', async () => {
    await turn({ arm: 'take' });
    clock.jumpMs(100 * 365 * DAY_MS);
    expect((await turn({ holder: 'other', arm: 'take' })).armed).toBe(false);
  });

  it('lets an arm lapse after the time given', async () => {
    store = new MemoryTaskStore({ clock, armHoldMs: 5_000 });
    await turn({ arm: 'take' });
    clock.jumpMs(5_000);
    expect((await turn({ holder: 'other', arm: 'take' })).armed).toBe(false);
    clock.jumpMs(1);
    expect((await turn({ holder: 'other', arm: 'take' })).armed).toBe(true);
  });

  it('C57 refuses settings that differ from those it knows, and names both values', async () => {
    await store.register({ type: 'mail', partitions: 2, dedupeForMs: 0 });
    await store.register({ type: 'mail', partitions: 2, dedupeForMs: 0 });
    const differing = store.register({ type: 'mail', partitions: 3, dedupeForMs: 0 });
    await expect(differing).rejects.toThrow(ConfigurationError);
    await expect(differing).rejects.toThrow(/types\.mail\.partitions.*2.*3/);
    await expect(store.register({ type: 'mail', partitions: 2, dedupeForMs: 7 })).rejects.toThrow(
      /types\.mail\.dedupeFor.*0.*7/,
    );
  });

  it('rejects every call after it was closed, and completes its signals', async () => {
    let completed = false;
    store.wakeups$.subscribe({ complete: () => (completed = true) });
    await store.close();
    await store.close();
    expect(completed).toBe(true);
    const calls = [
      store.open(),
      store.register({ type: 'mail', partitions: 1, dedupeForMs: 0 }),
      store.init(REF),
      store.listen([REF]),
      store.signal({ kind: 'ping', ref: REF, holder: 'me' }),
      store.mutate(REF, []),
      turn(),
      store.peek({ holder: 'me', lanes: [] }),
      store.get(REF, 'X'),
      store.list(REF, { state: 'waiting', offset: 0, limit: 1 }),
      store.stats(REF),
      store.setPaused(REF, true),
      store.trim(REF, { deadKeepMs: 1, deadMax: 1 }),
    ];
    for (const call of calls) await expect(call).rejects.toThrow(QueueClosedError);
  });
});
