import { z } from 'zod';
import { MAX_TIMER_MS } from '../core/clock.js';
import type { Duration } from '../core/duration.js';
import { ConfigurationError } from '../core/errors.js';
import { isName } from '../core/ids.js';
import { durationMs } from './duration-schema.js';

/** How the queue looks after its ledger. */
export interface LedgerOptions {
  /** Task types that may have rows, so that calls for all others need not look; `null` for every type. @default null */
  readonly types?: readonly string[] | null;
  /** How often rows are looked for whose own process died before it wrote them to the store. @default '5s' */
  readonly relayEvery?: Duration;
  /** How often, and how long after its due time, a task is looked for that the store may have forgotten. @default '5m' */
  readonly sweepEvery?: Duration;
  /** How long rows of done and cancelled tasks are kept. @default '7d' */
  readonly keepDone?: Duration;
  /** How long rows of dead tasks are kept; not shorter than their dead letters. @default '30d' */
  readonly keepDead?: Duration;
  /** Tasks a second that this process loads again, at most, after the store has lost them. @default 5000 */
  readonly rebuildRate?: number;
}

/** Checked and complete; times in milliseconds. */
export interface ResolvedLedgerOptions {
  readonly types: ReadonlySet<string> | null;
  readonly relayEveryMs: number;
  readonly sweepEveryMs: number;
  readonly keepDoneMs: number;
  readonly keepDeadMs: number;
  readonly rebuildRate: number;
}

const typeName = z.custom<string>(isName, { message: 'must be the names of task types' });

const schema = z.strictObject({
  types: z.array(typeName).nullable().default(null),
  relayEvery: durationMs({ minMs: 50, maxMs: MAX_TIMER_MS }).prefault('5s'),
  sweepEvery: durationMs({ minMs: 50, maxMs: MAX_TIMER_MS }).prefault('5m'),
  keepDone: durationMs({}).prefault('7d'),
  keepDead: durationMs({}).prefault('30d'),
  rebuildRate: z.int().min(1).max(1_000_000).default(5_000),
});

/**
 * Checks the options of the ledger and makes them complete.
 *
 * @throws ConfigurationError naming the option.
 */
export function resolveLedgerOptions(options: unknown): ResolvedLedgerOptions {
  const result = schema.safeParse(options);
  if (!result.success) {
    const issue = result.error.issues[0];
    const unknownKey = issue?.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
    const path = ['ledger', ...(issue?.path ?? []).map(String), ...(unknownKey === undefined ? [] : [unknownKey])];
    const problem = unknownKey === undefined ? issue?.message : 'is not known here';
    throw new ConfigurationError(path.join('.'), problem ?? 'is not acceptable');
  }
  const { types, relayEvery, sweepEvery, keepDone, keepDead, rebuildRate } = result.data;
  return {
    types: types === null ? null : new Set(types),
    relayEveryMs: relayEvery,
    sweepEveryMs: sweepEvery,
    keepDoneMs: keepDone,
    keepDeadMs: keepDead,
    rebuildRate,
  };
}
