import type { z } from 'zod';
import { ConfigurationError } from '../core/errors.js';

/**
 * Checks options against their schema.
 *
 * @param where names what the options stand on, for the error.
 * @throws ConfigurationError naming the first option that is not acceptable.
 */
export function parseOptions<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  where: string,
): z.output<Schema> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const unknownKey = issue?.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
  const parts = [where, ...(issue?.path ?? []).map(String), unknownKey ?? ''];
  const path = parts.filter((part) => part !== '').join('.');
  const problem = unknownKey === undefined ? issue?.message : 'is not known here';
  throw new ConfigurationError(path === '' ? 'options' : path, problem ?? 'is not acceptable');
}
