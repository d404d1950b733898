import { InvalidPayloadError } from '../core/errors.js';

/** Deepest nesting of a payload: far above any real one, and shallow enough for every JSON reader. */
const MAX_DEPTH = 200;

/**
 * Writes a payload as JSON, refusing whatever would come back as something else.
 *
 * Accepted: `null`, booleans, finite numbers, well-formed strings, arrays, and objects of these (own enumerable
 * properties; the class of an instance is not kept). Properties whose value is `undefined` are left out, a payload of
 * `undefined` arrives as `null`, and -0 as 0, to which it is equal. Refused: bigint, function, symbol, NaN and the
 * infinities, circular references, holes or `undefined` in arrays, properties with a symbol for a name, an array's
 * properties beside its elements, Map, Set, Date, Buffer and other objects that are more than their properties.
 *
 * @param maxBytes limit of the JSON text in UTF-8.
 * @throws InvalidPayloadError naming the path of the first value that is refused.
 */
export function encodePayload(payload: unknown, maxBytes: number): string {
  if (payload !== undefined) assertPlain(payload, 'payload', new Set());
  const text = writeJson(payload ?? null);
  const bytes = Buffer.byteLength(text);
  if (bytes > maxBytes) throw new InvalidPayloadError('payload', `is ${bytes} bytes of JSON, the limit is ${maxBytes}`);
  return text;
}

function writeJson(payload: unknown): string {
  try {
    return JSON.stringify(payload);
  } catch (cause) {
    // A getter that gave something plain when it was checked need not do so again.
    throw new InvalidPayloadError('payload', 'cannot be written as JSON', { cause });
  }
}

function assertPlain(value: unknown, path: string, ancestors: Set<object>): void {
  const kind = typeof value;
  switch (kind) {
    case 'string':
      if (!(value as string).isWellFormed()) {
        throw new InvalidPayloadError(path, 'has a lone surrogate, which UTF-8 cannot hold');
      }
      return;
    case 'number':
      if (!Number.isFinite(value)) throw new InvalidPayloadError(path, `${String(value)} has no form in JSON`);
      return;
    case 'boolean':
      return;
    case 'object':
      if (value !== null) assertPlainObject(value as object, path, ancestors);
      return;
    case 'bigint':
      throw new InvalidPayloadError(path, 'is a bigint, which JSON cannot hold; pass it as a string');
    case 'undefined':
      throw new InvalidPayloadError(path, 'is undefined, which JSON would turn into null');
    case 'function':
    case 'symbol':
      throw new InvalidPayloadError(path, `is a ${kind}, which JSON would drop`);
    default:
      return kind satisfies never;
  }
}

function assertPlainObject(value: object, path: string, ancestors: Set<object>): void {
  if (ancestors.has(value)) throw new InvalidPayloadError(path, 'refers back to an object that contains it');
  if (ancestors.size >= MAX_DEPTH) throw new InvalidPayloadError(path, `is nested deeper than ${MAX_DEPTH} levels`);
  ancestors.add(value);
  try {
    if (Array.isArray(value)) assertPlainArray(value, path, ancestors);
    else assertPlainRecord(value, path, ancestors);
  } catch (cause) {
    if (cause instanceof InvalidPayloadError) throw cause;
    // Getters and proxies run code that is not ours.
    throw new InvalidPayloadError(path, 'cannot be read', { cause });
  }
  ancestors.delete(value);
}

function assertPlainArray(value: readonly unknown[], path: string, ancestors: Set<object>): void {
  assertNoOwnForm(value, path);
  assertNoSymbols(value, path);
  for (let index = 0; index < value.length; index++) assertPlain(value[index], `${path}[${index}]`, ancestors);
  if (Object.keys(value).length !== value.length) {
    throw new InvalidPayloadError(path, 'has properties beside its elements, which JSON would drop');
  }
}

function assertPlainRecord(value: object, path: string, ancestors: Set<object>): void {
  assertNoOwnForm(value, path);
  assertNotExotic(value, path);
  assertNoSymbols(value, path);
  for (const key of Object.keys(value)) {
    if (!key.isWellFormed()) throw new InvalidPayloadError(path, 'has a key with a lone surrogate');
    const property = readProperty(value, key, path);
    if (property !== undefined) assertPlain(property, `${path}.${key}`, ancestors);
  }
}

function readProperty(value: object, key: string, path: string): unknown {
  try {
    return (value as Record<string, unknown>)[key];
  } catch (cause) {
    throw new InvalidPayloadError(`${path}.${key}`, 'cannot be read', { cause });
  }
}

/** Objects that JSON would rewrite by a `toJSON` of theirs (Date, Buffer, URL …). */
function assertNoOwnForm(value: object, path: string): void {
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function') {
    throw new InvalidPayloadError(path, `is a ${nameOf(value)}, which has its own JSON form; pass that form`);
  }
}

/** After the look at the kind of an object: Node itself marks promises and handles with symbols. */
function assertNoSymbols(value: object, path: string): void {
  const symbol = Object.getOwnPropertySymbols(value).find((key) =>
    Object.prototype.propertyIsEnumerable.call(value, key),
  );
  if (symbol !== undefined) {
    throw new InvalidPayloadError(path, `has a property named by ${String(symbol)}, which JSON would drop`);
  }
}

/** Objects that JSON would empty (Map, Set, RegExp, Promise …). */
function assertNotExotic(value: object, path: string): void {
  const tag = tagOf(value);
  if (tag !== 'Object') throw new InvalidPayloadError(path, `is a ${tag}, which JSON cannot hold; pass plain data`);
}

function nameOf(value: object): string {
  const constructor: unknown = (value as { constructor?: unknown }).constructor;
  return typeof constructor === 'function' && constructor.name !== '' ? constructor.name : tagOf(value);
}

function tagOf(value: object): string {
  return Object.prototype.toString.call(value).slice('[object '.length, -1);
}
