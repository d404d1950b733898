import { InvalidPayloadError } from '../core/errors.js';
import type { ResolvedTypeOptions } from '../options/resolved-options.js';
import { encodePayload } from '../task/payload.js';
import type { PayloadCheck, PayloadVerdict } from '../task/payload-check.js';

/** A payload in the form in which it is stored. */
export interface WrittenPayload {
  readonly json: string;
  readonly version: number;
  /** Rejects with an `InvalidPayloadError` when the payload does not fit; null when that is known already. */
  readonly checked: Promise<void> | null;
}

/**
 * Writes a payload as JSON and has its type's schema look at it.
 *
 * The schema sees what the handler's process will see: the payload after its way through JSON. What is stored is that, and
 * not what the schema makes of it: a schema need not take its own output.
 *
 * @throws InvalidPayloadError
 */
export function writePayload(
  payload: unknown,
  { payloadLimitBytes, payloadCheck, version }: ResolvedTypeOptions,
): WrittenPayload {
  const json = encodePayload(payload, payloadLimitBytes);
  return { json, version, checked: payloadCheck === null ? null : check(JSON.parse(json), payloadCheck) };
}

function check(payload: unknown, payloadCheck: PayloadCheck): Promise<void> | null {
  let verdict: PayloadVerdict | Promise<PayloadVerdict>;
  try {
    verdict = payloadCheck(payload);
  } catch (cause) {
    throw uncheckable(cause);
  }
  if (!(verdict instanceof Promise)) {
    refuseInvalid(verdict);
    return null;
  }
  return verdict.then(refuseInvalid, (cause: unknown) => {
    throw uncheckable(cause);
  });
}

function refuseInvalid(verdict: PayloadVerdict): void {
  if (verdict.kind === 'invalid') throw InvalidPayloadError.ofIssues(verdict.issues);
}

function uncheckable(cause: unknown): InvalidPayloadError {
  return new InvalidPayloadError('payload', 'could not be checked, the schema threw', { cause });
}
