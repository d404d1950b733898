import type { PartitionRef } from '../../core/partition.js';
import type { OwnDoneMark } from '../../ports/idempotency-store.js';
import { REASON_LEASES_LOST, REASON_RETRIES_USED_UP, type Settle, type SettleCode } from '../../ports/settle.js';
import {
  type BuriedTask,
  type ClaimedTask,
  MAX_BYTES_PER_CALL,
  type PeekReply,
  type SuspectRule,
  type TurnReply,
  type TurnRequest,
} from '../../ports/turn.js';
import { PARTITION_KEYS } from '../keys.js';
import { encodeRuns } from './run-length.js';

/** What the script `turn` needs besides the request. */
export interface TurnSettings {
  readonly channel: string;
  readonly armHoldMs: number;
}

/** How the script knows the rules of a claim about suspects. */
const SUSPECTS: Readonly<Record<SuspectRule, string>> = { take: '0', 'put off': '1', leave: '2' };

const CODE_OF_LETTER: Readonly<Record<string, SettleCode>> = { a: 'applied', s: 'stale', g: 'gone' };

/** The settles of a request that write a done mark, in the order in which their keys follow those of the partition. */
export function markingSettles({ settles }: TurnRequest): readonly MarkingSettle[] {
  return settles.filter((settle): settle is MarkingSettle => settle.kind === 'complete' && settle.mark !== undefined);
}

/** A settle that writes a done mark. */
type MarkingSettle = Extract<Settle, { kind: 'complete' }> & { readonly mark: OwnDoneMark };

/** Writes the arguments of the script `turn`. */
export function encodeTurn(request: TurnRequest, { channel, armHoldMs }: TurnSettings): (string | number)[] {
  const { settles, extensions, claim } = request;
  const named = extensions.length === 0 ? settles : [...settles, ...extensions];
  const args: (string | number)[] = [
    channel,
    request.holder,
    request.arm,
    armHoldMs,
    claim?.limit ?? 0,
    SUSPECTS[claim?.suspects ?? 'take'],
    claim?.mayCallForHelp === true ? 1 : 0,
    request.leaseMs,
    request.maxLostLeases,
    request.deadKeepMs,
    request.deadMax,
    MAX_BYTES_PER_CALL,
    REASON_RETRIES_USED_UP,
    REASON_LEASES_LOST,
    settles.length,
    extensions.length,
    lettersOf(settles),
    encodeRuns(named.map(({ fence }) => fence)),
    JSON.stringify(named.map(({ id }) => id)),
  ];
  let nextMarkKey = PARTITION_KEYS.length + 1;
  for (const settle of settles) {
    if (settle.kind === 'complete' && settle.mark !== undefined) {
      const { keepMs, result } = settle.mark;
      args.push(settle.dedupeForMs, nextMarkKey++, keepMs, result ?? '');
    } else {
      pushSettle(args, settle);
    }
  }
  return args;
}

/** The counters of most tasks, up to the due time: they need not be taken apart. */
const FIRST_DELIVERY = '1|0|0|0|';

/** Reads the reply of the script `turn`. */
export function decodeTurn(reply: unknown): TurnReply {
  const [state, ids = [], envelopes = [], counters = '', buried = [], orphans = []] = reply as [
    string,
    string[]?,
    string[]?,
    string?,
    string[]?,
    string[]?,
  ];
  const [now = '', next = '', flags = '', last = '', fence = '', settled = '', extended = ''] = state.split('|');
  return {
    nowUs: Number(now),
    settled: decodeCodes(settled),
    extended: decodeCodes(extended),
    claimed: decodeClaimed({ ids, envelopes, counters, fence: Number(fence) }),
    buried: decodeBuried(buried),
    orphans,
    nextAtMs: numberOrNull(next),
    overdueLeft: flags.charAt(0) === '1',
    paused: flags.charAt(1) === '1',
    armed: flags.charAt(2) === '1',
    epoch: last === '' ? 'absent' : 'present',
    lastFence: Number(last === '' || fence === '' ? last : fence),
    fenceBefore: Number(last),
  };
}

/** Reads the replies of the script `peek`, one for each lane. */
export function decodePeek(reply: unknown, lanes: readonly PartitionRef[]): PeekReply[] {
  const [now, ...states] = reply as [string, ...string[]];
  return lanes.map((ref, index) => {
    const [next = '', paused = '', armed = '', last = ''] = (states[index] ?? '').split('|');
    return {
      ref,
      nowUs: Number(now),
      nextAtMs: numberOrNull(next),
      paused: paused === '1',
      armed: armed === '1',
      epoch: last === '' ? 'absent' : 'present',
      lastFence: Number(last),
    };
  });
}

/** One letter each, so that the commonest settle of all takes no argument but its id. */
function lettersOf(settles: readonly Settle[]): string {
  let letters = '';
  for (const settle of settles) letters += letterOf(settle);
  return letters;
}

function letterOf(settle: Settle): string {
  switch (settle.kind) {
    case 'complete':
      if (settle.mark !== undefined) return 'i';
      return settle.dedupeForMs === 0 ? 'c' : 'w';
    case 'retry':
      return 'r';
    case 'snooze':
      return 's';
    case 'release':
      return 'l';
    case 'bury':
      return 'b';
    default:
      return settle satisfies never;
  }
}

function pushSettle(args: (string | number)[], settle: Settle): void {
  switch (settle.kind) {
    case 'complete':
      if (settle.dedupeForMs !== 0) args.push(settle.dedupeForMs);
      return;
    case 'retry':
      args.push(settle.delayMs, settle.maxRetries, settle.error);
      return;
    case 'snooze':
      args.push(settle.delayMs);
      return;
    case 'release':
      return;
    case 'bury':
      args.push(settle.reason, settle.error);
      return;
    default:
      settle satisfies never;
  }
}

function decodeCodes(letters: string): SettleCode[] {
  return Array.from(letters, (letter) => {
    const code = CODE_OF_LETTER[letter];
    if (code === undefined) throw new TypeError(`not an answer to a settle: '${letter}'`);
    return code;
  });
}

interface ClaimedParts {
  readonly ids: readonly string[];
  readonly envelopes: readonly string[];
  readonly counters: string;
  readonly fence: number;
}

function decodeClaimed({ ids, envelopes, counters, fence }: ClaimedParts): ClaimedTask[] {
  const countersOfTasks = counters.split(',');
  return ids.map((id, index) => {
    const [deliveries, failures, lostLeases, redrives, dueAtMs] = readCounters(countersOfTasks[index] ?? '');
    return { id, envelope: envelopes[index] ?? '', fence, deliveries, failures, lostLeases, redrives, dueAtMs };
  });
}

function decodeBuried(pairs: readonly string[]): BuriedTask[] {
  const buried: BuriedTask[] = [];
  for (let index = 0; index < pairs.length; index += 2) {
    buried.push({ id: pairs[index] ?? '', lostLeases: Number(pairs[index + 1]) });
  }
  return buried;
}

function readCounters(text: string): [number, number, number, number, number] {
  if (text.startsWith(FIRST_DELIVERY)) return [1, 0, 0, 0, Number(text.slice(FIRST_DELIVERY.length))];
  const [deliveries, failures, lostLeases, redrives, due] = text.split('|');
  return [Number(deliveries), Number(failures), Number(lostLeases), Number(redrives), Number(due)];
}

function numberOrNull(text: string): number | null {
  return text === '' ? null : Number(text);
}
