import { idempotentOptionsSchema } from './option-schemas.js';
import { parseOptions } from './parse-options.js';

/** What `@Idempotent` says, complete and in milliseconds. */
export interface ResolvedIdempotency {
  /** Makes the key; null for the task's own mark. What it returns is not checked yet. */
  readonly keyOf: ((payload: unknown, task: unknown) => unknown) | null;
  readonly ttlMs: number;
  readonly keepResult: boolean;
}

/**
 * Checks what stands in `@Idempotent`.
 *
 * @param where names the handler, for the error.
 * @throws ConfigurationError naming the option.
 */
export function resolveIdempotency(options: unknown, where: string): ResolvedIdempotency {
  const { key, ttl, keepResult } = parseOptions(idempotentOptionsSchema, options, `${where}: @Idempotent`);
  // Which payloads a key is made for is the compiler's business; here it is a function like any other.
  const keyOf = (key as ((payload: unknown, task: unknown) => unknown) | undefined) ?? null;
  return { keyOf, ttlMs: ttl, keepResult };
}
