import type { PayloadIssue } from '../core/errors.js';

/** What a schema says about a payload: what the handler gets, or what is wrong. */
export type PayloadVerdict =
  | { readonly kind: 'valid'; readonly payload: unknown }
  | { readonly kind: 'invalid'; readonly issues: readonly PayloadIssue[] };

/**
 * Looks at a payload as it was read from JSON. One that throws, or rejects, has said nothing about the payload.
 */
export type PayloadCheck = (payload: unknown) => PayloadVerdict | Promise<PayloadVerdict>;

/** Path to a value inside a payload, as errors name it: `payload.items[2].price`. */
export function payloadPath(keys: readonly PropertyKey[]): string {
  return keys.reduce<string>((path, key) => path + (isIndex(key) ? `[${String(key)}]` : `.${String(key)}`), 'payload');
}

function isIndex(key: PropertyKey): boolean {
  return typeof key === 'number' || (typeof key === 'string' && /^(0|[1-9]\d*)$/.test(key));
}
