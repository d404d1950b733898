import { InvalidPayloadError } from '../core/errors.js';

/** Deepest nesting of a payload: far above any real one, and shallow enough for every JSON reader. */
const MAX_DEPTH = 200;

/** Most bytes of UTF-8 that one UTF-16 unit of a text takes. */
const MAX_BYTES_PER_UNIT = 3;

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
  if (payload !== undefined) assertPlain(payload, null, '');
  const text = writeJson(payload ?? null);
  if (text.length * MAX_BYTES_PER_UNIT <= maxBytes) return text;
  const bytes = Buffer.byteLength(text);
  if (bytes > maxBytes) throw new InvalidPayloadError('payload', `is ${bytes} bytes of JSON, the limit is ${maxBytes}`);
  return text;
}

/** An object on the way to the value that is looked at. Errors make a path of it, and only they. */
interface Place {
  readonly object: object;
  /** Under which name the object stands in the one around it. */
  readonly key: string | number;
  readonly around: Place | null;
  readonly depth: number;
}

function pathOf(around: Place | null, key: string | number): string {
  if (around === null) return 'payload';
  const path = pathOf(around.around, around.key);
  return typeof key === 'number' ? `${path}[${key}]` : `${path}.${key}`;
}

function refusal(around: Place | null, key: string | number, problem: string, cause?: unknown): InvalidPayloadError {
  return new InvalidPayloadError(pathOf(around, key), problem, cause === undefined ? undefined : { cause });
}

function writeJson(payload: unknown): string {
  try {
    return JSON.stringify(payload);
  } catch (cause) {
    // A getter that gave something plain when it was checked need not do so again.
    throw new InvalidPayloadError('payload', 'cannot be written as JSON', { cause });
  }
}

function assertPlain(value: unknown, around: Place | null, key: string | number): void {
  const kind = typeof value;
  switch (kind) {
    case 'string':
      if ((value as string).isWellFormed()) return;
      throw refusal(around, key, 'has a lone surrogate, which UTF-8 cannot hold');
    case 'number':
      if (Number.isFinite(value)) return;
      throw refusal(around, key, `${String(value)} has no form in JSON`);
    case 'boolean':
      return;
    case 'object':
      if (value !== null) assertPlainObject(value as object, around, key);
      return;
    case 'bigint':
      throw refusal(around, key, 'is a bigint, which JSON cannot hold; pass it as a string');
    case 'undefined':
      throw refusal(around, key, 'is undefined, which JSON would turn into null');
    case 'function':
    case 'symbol':
      throw refusal(around, key, `is a ${kind}, which JSON would drop`);
    default:
      return kind satisfies never;
  }
}

function assertPlainObject(object: object, around: Place | null, key: string | number): void {
  const depth = around === null ? 1 : around.depth + 1;
  for (let place = around; place !== null; place = place.around) {
    if (place.object === object) throw refusal(around, key, 'refers back to an object that contains it');
  }
  if (depth > MAX_DEPTH) throw refusal(around, key, `is nested deeper than ${MAX_DEPTH} levels`);
  const place: Place = { object, key, around, depth };
  try {
    if (Array.isArray(object)) assertPlainArray(object, place);
    else assertPlainRecord(object, place);
  } catch (cause) {
    if (cause instanceof InvalidPayloadError) throw cause;
    // Getters and proxies run code that is not ours.
    throw refusal(around, key, 'cannot be read', cause);
  }
}

function assertPlainArray(array: readonly unknown[], place: Place): void {
  assertNoOwnForm(array, place);
  assertNoSymbols(array, place);
  for (let index = 0; index < array.length; index++) assertPlain(array[index], place, index);
  if (Object.keys(array).length !== array.length) {
    throw refusal(place.around, place.key, 'has properties beside its elements, which JSON would drop');
  }
}

function assertPlainRecord(object: object, place: Place): void {
  assertNoOwnForm(object, place);
  assertNotExotic(object, place);
  assertNoSymbols(object, place);
  for (const key of Object.keys(object)) {
    if (!key.isWellFormed()) throw refusal(place.around, place.key, 'has a key with a lone surrogate');
    const property = readProperty(object, key, place);
    if (property !== undefined) assertPlain(property, place, key);
  }
}

function readProperty(object: object, key: string, place: Place): unknown {
  try {
    return (object as Record<string, unknown>)[key];
  } catch (cause) {
    throw refusal(place, key, 'cannot be read', cause);
  }
}

/** Objects that JSON would rewrite by a `toJSON` of theirs (Date, Buffer, URL …). */
function assertNoOwnForm(object: object, { around, key }: Place): void {
  if (typeof (object as { toJSON?: unknown }).toJSON !== 'function') return;
  throw refusal(around, key, `is a ${nameOf(object)}, which has its own JSON form; pass that form`);
}

/** After the look at the kind of an object: Node itself marks promises and handles with symbols. */
function assertNoSymbols(object: object, { around, key }: Place): void {
  const symbols = Object.getOwnPropertySymbols(object);
  if (symbols.length === 0) return;
  const symbol = symbols.find((each) => Object.prototype.propertyIsEnumerable.call(object, each));
  if (symbol === undefined) return;
  throw refusal(around, key, `has a property named by ${String(symbol)}, which JSON would drop`);
}

/** Objects that JSON would empty (Map, Set, RegExp, Promise …). */
function assertNotExotic(object: object, { around, key }: Place): void {
  if (Object.prototype.toString.call(object) === '[object Object]') return;
  throw refusal(around, key, `is a ${tagOf(object)}, which JSON cannot hold; pass plain data`);
}

function nameOf(value: object): string {
  const constructor: unknown = (value as { constructor?: unknown }).constructor;
  return typeof constructor === 'function' && constructor.name !== '' ? constructor.name : tagOf(value);
}

function tagOf(value: object): string {
  return Object.prototype.toString.call(value).slice('[object '.length, -1);
}
