import { InvalidPayloadError } from '../core/errors.js';

/** Deepest nesting of a payload: far above any real one, and shallow enough for every JSON reader. */
const MAX_DEPTH = 200;

/**
 * Writes a payload as JSON, refusing whatever would come back as something else.
 *
 * Accepted: `null`, booleans, finite numbers, well-formed strings, arrays, and objects of these (own enumerable
 * properties; the class of an instance is not kept). Properties whose value is `undefined` are left out, and a payload
 * of `undefined` arrives as `null`. Refused: bigint, function, symbol, NaN and the infinities, circular references,
 * holes or `undefined` in arrays, Map, Set, Date, Buffer and other objects that are more than their properties.
 *
 * @param maxBytes limit of the JSON text in UTF-8.
 * @throws InvalidPayloadError naming the path of the first value that is refused.
 */
export function encodePayload(payload: unknown, maxBytes: number): string {
  if (payload !== undefined) assertPlain(payload, 'payload', new Set());
  const text = payload === undefined ? 'null' : JSON.stringify(payload);
  const bytes = Buffer.byteLength(text);
  if (bytes > maxBytes) throw new InvalidPayloadError('payload', `is ${bytes} bytes of JSON, the limit is ${maxBytes}`);
  return text;
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
  if (Array.isArray(value)) assertPlainArray(value, path, ancestors);
  else assertPlainRecord(value, path, ancestors);
  ancestors.delete(value);
}

function assertPlainArray(value: readonly unknown[], path: string, ancestors: Set<object>): void {
  for (let index = 0; index < value.length; index++) assertPlain(value[index], `${path}[${index}]`, ancestors);
}

function assertPlainRecord(value: object, path: string, ancestors: Set<object>): void {
  assertNotExotic(value, path);
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

/** Objects that JSON would empty (Map, Set, RegExp, Promise …), or rewrite by a `toJSON` of theirs (Date, Buffer …). */
function assertNotExotic(value: object, path: string): void {
  const tag = Object.prototype.toString.call(value).slice('[object '.length, -1);
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function') {
    throw new InvalidPayloadError(path, `is a ${nameOf(value, tag)}, which has its own JSON form; pass that form`);
  }
  if (tag !== 'Object' || ArrayBuffer.isView(value)) {
    throw new InvalidPayloadError(path, `is a ${tag}, which JSON cannot hold; pass plain data`);
  }
}

function nameOf(value: object, fallback: string): string {
  const constructor: unknown = (value as { constructor?: unknown }).constructor;
  return typeof constructor === 'function' && constructor.name !== '' ? constructor.name : fallback;
}
