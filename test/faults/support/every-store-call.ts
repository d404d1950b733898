import { encodeEnvelope } from '../../../libs/delay-queue/src/task/envelope.js';
import { newLife } from '../../../libs/delay-queue/src/core/ids.js';
import type { Mutation } from '../../../libs/delay-queue/src/ports/mutation.js';
import type { Settle } from '../../../libs/delay-queue/src/ports/settle.js';
import type { TaskStore } from '../../../libs/delay-queue/src/ports/task-store.js';
import type { TurnRequest } from '../../../libs/delay-queue/src/ports/turn.js';

const HOLDER = 'holder';
const ENVELOPE = encodeEnvelope({ payloadJson: 'null', life: newLife(0), overrides: {} });

/**
 * Makes every call of a store, so that each of its scripts goes every way that it has.
 *
 * @param type names a type that nobody else uses.
 * @returns what was refused.
 */
export async function makeEveryStoreCall(store: TaskStore, type: string): Promise<readonly string[]> {
  const refusals: string[] = [];
  const attempt = async <T>(call: () => Promise<T>): Promise<T | null> => {
    try {
      return await call();
    } catch (error) {
      refusals.push(String(error));
      return null;
    }
  };
  const ref = { type, partition: 0 };
  const mutate = async (...mutations: readonly Mutation[]): Promise<void> => {
    const answers = (await attempt(() => store.mutate(ref, mutations))) ?? [];
    for (const answer of answers) if (!answer.ok) refusals.push(String(answer.error));
  };
  const turn = (wishes: Partial<TurnRequest>) => attempt(() => store.turn({ ...turnRequest(type), ...wishes }));

  await attempt(() => store.open());
  await attempt(() => store.register({ type, partitions: 1, dedupeForMs: 0 }));
  await attempt(() => store.init(ref));
  await attempt(() => store.listen([ref]));
  await attempt(() => store.signal({ kind: 'ping', ref, holder: HOLDER }));

  const ids = ['completed', 'retried', 'buried', 'snoozed', 'released'];
  await mutate(...ids.map((id) => schedule(id, 0)));
  const claimed = (await turn({ arm: 'take' }))?.claimed ?? [];
  await turn({ extensions: claimed.map(({ id, fence }) => ({ id, fence })), claim: null });
  await turn({ settles: claimed.map(({ id, fence }) => settle(id, fence)), claim: null, arm: 'resign' });
  await mutate({ kind: 'redrive', id: 'buried' }, schedule('waiting', 60_000));
  await mutate({ ...schedule('waiting', 60_000), onDuplicate: 'replace' }, schedule('completed', 60_000));
  await mutate({ kind: 'reschedule', id: 'waiting', due: { delayMs: 1 } }, { kind: 'runNow', id: 'waiting' });
  await mutate({ kind: 'cancel', id: 'waiting' }, { kind: 'purgeDead', id: 'retried' });

  const claim = { owner: 'owner', fence: 1, holdMs: 60_000 };
  const done = { keepMs: 60_000, result: 'null' };
  await attempt(() => store.idempotency.begin(type, claim));
  await attempt(() => store.idempotency.extend(type, claim));
  await attempt(() => store.idempotency.drop(type, claim));
  await attempt(() => store.idempotency.finish(type, claim, done));
  await attempt(() => store.idempotency.begin(type, claim));
  await attempt(() => store.idempotency.look({ ref, id: 'released', life: 'life', fence: 1 }));

  await attempt(() => store.peek({ holder: HOLDER, lanes: [ref] }));
  await attempt(() => store.get(ref, 'snoozed'));
  for (const state of ['waiting', 'running', 'dead'] as const) {
    await attempt(() => store.list(ref, { state, offset: 0, limit: 10 }));
  }
  await attempt(() => store.stats(ref));
  await attempt(() => store.setPaused(ref, true));
  await attempt(() => store.setPaused(ref, false));
  await attempt(() => store.trim(ref, { deadKeepMs: 0, deadMax: 0 }));
  return refusals;
}

function schedule(id: string, delayMs: number): Extract<Mutation, { kind: 'schedule' }> {
  return { kind: 'schedule', id, due: { delayMs }, envelope: ENVELOPE, onDuplicate: 'keep' };
}

/** The settle that an id is named for. */
function settle(id: string, fence: number): Settle {
  switch (id) {
    case 'completed':
      return { kind: 'complete', id, fence, dedupeForMs: 1, mark: { life: 'life', keepMs: 60_000, result: null } };
    case 'retried':
      return { kind: 'retry', id, fence, delayMs: 0, maxRetries: 0, error: 'error' };
    case 'buried':
      return { kind: 'bury', id, fence, reason: 'reason', error: 'error' };
    case 'snoozed':
      return { kind: 'snooze', id, fence, delayMs: 60_000 };
    default:
      return { kind: 'release', id, fence };
  }
}

function turnRequest(type: string): TurnRequest {
  return {
    ref: { type, partition: 0 },
    holder: HOLDER,
    settles: [],
    extensions: [],
    claim: { limit: 10, suspects: 'take', mayCallForHelp: true },
    arm: 'leave',
    leaseMs: 60_000,
    maxLostLeases: 5,
    deadKeepMs: 60_000,
    deadMax: 100,
  };
}
