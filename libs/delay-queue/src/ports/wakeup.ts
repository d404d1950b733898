import type { PartitionRef } from '../core/partition.js';

/**
 * Something that one process tells the others about a partition.
 *
 * - `wake`: the earliest due time has moved forward. `holder` names whom it concerns, null everyone.
 * - `beat`: the named holder is alive and looks after the partition.
 * - `help`: more is overdue than the sender could claim; idle processes should take some.
 * - `calm`: nothing overdue is left; pending reactions to `help` are void.
 * - `ping`: somebody asks whether the holder lives; the holder answers with a beat.
 */
export type PartitionSignal =
  | { readonly kind: 'wake'; readonly ref: PartitionRef; readonly holder: string | null }
  | { readonly kind: 'beat'; readonly ref: PartitionRef; readonly holder: string }
  | { readonly kind: 'help'; readonly ref: PartitionRef; readonly holder: string }
  | { readonly kind: 'calm'; readonly ref: PartitionRef; readonly holder: string }
  | { readonly kind: 'ping'; readonly ref: PartitionRef; readonly holder: string };

/** A signal, or the news that signals may have been missed because the subscription was interrupted. */
export type Wakeup = PartitionSignal | { readonly kind: 'resubscribed' };
