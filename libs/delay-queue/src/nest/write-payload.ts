import { InvalidArgumentError, InvalidPayloadError } from '../core/errors.js';
import type { ResolvedTypeOptions } from '../options/resolved-options.js';
import { encodePayload } from '../task/payload.js';
import type { PayloadCheck, PayloadVerdict } from '../task/payload-check.js';
import { NO_HEADERS, type TaskHeaders } from '../task/task-headers.js';

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
 * @param headers of the task, which share the payload's limit.
 * @throws InvalidPayloadError, InvalidArgumentError
 */
export function writePayload(
  payload: unknown,
  headers: TaskHeaders,
  { payloadLimitBytes, payloadCheck, version }: ResolvedTypeOptions,
): WrittenPayload {
  const json = encodePayload(payload, payloadLimitBytes);
  if (headers !== NO_HEADERS) assertFitBeside(json, headers, payloadLimitBytes);
  return { json, version, checked: payloadCheck === null ? null : check(JSON.parse(json), payloadCheck) };
}

function assertFitBeside(payloadJson: string, headers: TaskHeaders, limitBytes: number): void {
  const bytes = Buffer.byteLength(JSON.stringify(headers));
  const payloadBytes = Buffer.byteLength(payloadJson);
  if (bytes + payloadBytes <= limitBytes) return;
  const problem = `are ${bytes} bytes of JSON beside a payload of ${payloadBytes}, the limit for both is ${limitBytes}`;
  throw new InvalidArgumentError('headers', problem);
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
