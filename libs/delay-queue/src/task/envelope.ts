import { z } from 'zod';
import { createdAtOfLife } from '../core/ids.js';
import { LEDGER_CHECK_HEADER } from './ledger-envelope.js';
import { NO_HEADERS, OWN_HEADER_PREFIX, type TaskHeaders } from './task-headers.js';

/** Format of the envelopes that this version writes. */
export const ENVELOPE_FORMAT = 1;

/** What a task sets for itself, instead of its type's settings. */
export interface TaskOverrides {
  readonly maxRetries?: number;
}

/** What is stored with a task id; the store never looks inside. */
export interface TaskEnvelope {
  readonly payload: unknown;
  /** Creation time and nonce: see `newLife`. */
  readonly life: string;
  /** Version of the payload, from 1 on. */
  readonly version: number;
  readonly overrides: TaskOverrides;
  /** Those of the producer, and of who traces the task; not the library's own. */
  readonly headers: TaskHeaders;
  /** The row of the task must be looked at before it is run: see `withLedgerCheck`. */
  readonly ledgerCheck: boolean;
  /** The row of the task in the database ledger, or null. */
  readonly ledgerRow: string | null;
}

/** Parts of an envelope that is about to be written; the payload is JSON already. */
export interface EnvelopeParts {
  readonly payloadJson: string;
  readonly life: string;
  /** @default 1 */
  readonly version?: number;
  readonly overrides?: TaskOverrides;
  readonly headers?: TaskHeaders;
  readonly ledgerRow?: string | null;
}

/** An envelope could not be read: written by a newer version, or damaged. */
export class UnreadableEnvelopeError extends Error {
  override readonly name = 'UnreadableEnvelopeError';
}

/**
 * Writes `[format, payload, created+life, overrides, headers, ledgerRow]` as JSON.
 *
 * Positions, not names, and trailing empty positions are left out: each byte is stored once for every waiting task. A
 * payload's version stands among the overrides, as `v`, and version 1 is not written at all.
 */
export function encodeEnvelope(parts: EnvelopeParts): string {
  const { version = 1 } = parts;
  const overrides = emptyAsNull(version === 1 ? parts.overrides : { ...parts.overrides, v: version });
  const headers = emptyAsNull(parts.headers);
  const ledgerRow = parts.ledgerRow ?? null;
  const head = `[${ENVELOPE_FORMAT},${parts.payloadJson},"${parts.life}"`;
  if (ledgerRow !== null) return `${head},${toJson(overrides)},${toJson(headers)},${toJson(ledgerRow)}]`;
  if (headers !== null) return `${head},${toJson(overrides)},${toJson(headers)}]`;
  if (overrides !== null) return `${head},${toJson(overrides)}]`;
  return `${head}]`;
}

const toJson = (value: unknown): string => JSON.stringify(value);

function emptyAsNull(value: object | undefined): object | null {
  return value === undefined || Object.keys(value).length === 0 ? null : value;
}

const OPTIONAL_POSITIONS = z.tuple([
  z.strictObject({ maxRetries: z.int().nonnegative().optional(), v: z.int().positive().optional() }).nullish(),
  // Not `z.record`, which drops a key of the name `__proto__`.
  z.custom<TaskHeaders>(isRecordOfTexts, { message: 'the headers are no texts' }).nullish(),
  z.string().nullish(),
]);

/** Shared by all tasks that have none, so that no handler can add to it. */
const NO_OVERRIDES: TaskOverrides = Object.freeze({});

/**
 * Reads an envelope.
 *
 * @throws UnreadableEnvelopeError
 */
export function decodeEnvelope(text: string): TaskEnvelope {
  const parts = parseArray(text);
  const [format, payload, life] = parts;
  if (format !== ENVELOPE_FORMAT) throw new UnreadableEnvelopeError(`envelope format ${String(format)} is not known`);
  if (typeof life !== 'string' || Number.isNaN(createdAtOfLife(life))) {
    throw new UnreadableEnvelopeError('the envelope has no life');
  }
  // Most tasks have no optional position: they skip the validation.
  if (parts.length === 3) {
    return {
      payload,
      life,
      version: 1,
      overrides: NO_OVERRIDES,
      headers: NO_HEADERS,
      ledgerCheck: false,
      ledgerRow: null,
    };
  }
  const optional = OPTIONAL_POSITIONS.safeParse([parts[3], parts[4], parts[5]]);
  if (!optional.success) throw new UnreadableEnvelopeError(`the envelope is damaged: ${optional.error.message}`);
  const [overrides, headers, ledgerRow] = optional.data;
  const { maxRetries, v: version = 1 } = overrides ?? {};
  return {
    payload,
    life,
    version,
    overrides: maxRetries === undefined ? {} : { maxRetries },
    headers: withoutOwn(headers ?? NO_HEADERS),
    ledgerCheck: headers?.[LEDGER_CHECK_HEADER] !== undefined,
    ledgerRow: ledgerRow ?? null,
  };
}

function withoutOwn(headers: TaskHeaders): TaskHeaders {
  const isOwn = (name: string): boolean => name.startsWith(OWN_HEADER_PREFIX);
  if (!Object.keys(headers).some(isOwn)) return headers;
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !isOwn(name)));
}

function isRecordOfTexts(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((text) => typeof text === 'string');
}

function parseArray(text: string): readonly unknown[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new UnreadableEnvelopeError('the envelope is not JSON', { cause });
  }
  if (!Array.isArray(value)) throw new UnreadableEnvelopeError('the envelope is not an array');
  return value;
}
