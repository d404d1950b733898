import { InvalidArgumentError } from '../core/errors.js';

/** Text values carried beside a payload, by name. */
export type TaskHeaders = Readonly<Record<string, string>>;

/** The headers of all tasks that have none. */
export const NO_HEADERS: TaskHeaders = Object.freeze({});

/** Names that begin like this are the library's own. */
export const OWN_HEADER_PREFIX = 'delay-queue-';

/**
 * Checks headers, and copies them: what the caller does with his object later changes nothing.
 *
 * @throws InvalidArgumentError naming the header: `headers.tenant`.
 */
export function readTaskHeaders(value: unknown): TaskHeaders {
  if (value === undefined) return NO_HEADERS;
  if (!isPlainObject(value)) {
    throw new InvalidArgumentError('headers', 'must be a plain object whose values are texts');
  }
  const entries = Object.entries(value);
  for (const [name, text] of entries) assertHeader(name, text);
  return entries.length === 0 ? NO_HEADERS : (Object.fromEntries(entries) as TaskHeaders);
}

function assertHeader(name: string, text: unknown): void {
  const field = `headers.${name}`;
  if (name === '' || !name.isWellFormed()) {
    throw new InvalidArgumentError('headers', 'must have names that are not empty, and well-formed Unicode');
  }
  if (name.startsWith(OWN_HEADER_PREFIX)) {
    throw new InvalidArgumentError(field, `is taken: names that begin with '${OWN_HEADER_PREFIX}' are the queue's own`);
  }
  if (typeof text !== 'string') {
    throw new InvalidArgumentError(field, `must be a text, got ${text === null ? 'null' : typeof text}`);
  }
  if (!text.isWellFormed()) throw new InvalidArgumentError(field, 'must be well-formed Unicode (no lone surrogates)');
}

/** Not a `Map`, nor the `Headers` of a request: these keep what they hold where nobody would find it. */
function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // An object of another realm, such as a sandbox, has another `Object.prototype`, which has none above it either.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
