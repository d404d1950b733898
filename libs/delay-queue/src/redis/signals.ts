import type { PartitionRef } from '../core/partition.js';
import type { PartitionSignal } from '../ports/wakeup.js';

/** Stands for "everyone" where a signal names a holder. */
const EVERYONE = '*';

/** Writes a signal as it goes over the channel of its partition: `kind:holder`. */
export function encodeSignal(signal: PartitionSignal): string {
  return `${signal.kind}:${signal.holder ?? EVERYONE}`;
}

/** Reads a signal; null for a text that is none, such as one of a later version. */
export function decodeSignal(ref: PartitionRef, text: string): PartitionSignal | null {
  const colon = text.indexOf(':');
  const kind = text.slice(0, Math.max(colon, 0));
  const holder = text.slice(colon + 1);
  switch (kind) {
    case 'wake':
      return { kind, ref, holder: holder === EVERYONE ? null : holder };
    case 'beat':
    case 'help':
    case 'calm':
    case 'ping':
      return { kind, ref, holder };
    default:
      return null;
  }
}
