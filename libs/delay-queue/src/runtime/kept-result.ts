import { encodePayload } from '../task/payload.js';

/**
 * Writes a result as JSON; null for `undefined`, of which there is nothing to keep.
 *
 * @throws InvalidPayloadError when it would come back as something else, or is too large.
 */
export function encodeResult(result: unknown, maxBytes: number): string | null {
  return result === undefined ? null : encodePayload(result, maxBytes);
}

/** Reads what {@link encodeResult} wrote. */
export function decodeResult(text: string | null): unknown {
  return text === null ? undefined : JSON.parse(text);
}
