import { inspect, isDeepStrictEqual } from 'node:util';
import { ConfigurationError } from '../core/errors.js';
import type { ParsedTypeOptions } from './option-schemas.js';

/** One place of the application that sets options of types. */
export interface OptionsPlace {
  /** Begins the path of an option in errors: `types`, or `forFeature(OrdersModule).types`. */
  readonly path: string;
  /** Names the place in a sentence. */
  readonly name: string;
}

interface Entry {
  readonly value: unknown;
  readonly place: OptionsPlace;
}

/** The options of types from all places that set some; what stands in two of them must say the same. */
export class TypeOptionsBook {
  private readonly types = new Map<string, Map<string, Entry>>();

  /** The types for which any place sets something. */
  get names(): readonly string[] {
    return [...this.types.keys()];
  }

  /**
   * Adds the options that one place sets for a type.
   *
   * @throws ConfigurationError naming both places when another one says something else.
   */
  add(type: string, options: ParsedTypeOptions, place: OptionsPlace): void {
    const entries = this.types.get(type) ?? new Map<string, Entry>();
    this.types.set(type, entries);
    for (const [option, value] of Object.entries(options)) {
      if (value === undefined) continue;
      const other = entries.get(option);
      if (other === undefined) entries.set(option, { value, place });
      else if (!isSame(other.value, value)) throw contradiction({ type, option, other }, { value, place });
    }
  }

  /** All that is set for a type. */
  get(type: string): ParsedTypeOptions {
    const entries = this.types.get(type) ?? new Map<string, Entry>();
    return Object.fromEntries([...entries].map(([option, { value }]) => [option, value]));
  }

  /** The path of an option, where it was first set. */
  pathOf(type: string, option: string): string {
    return `${this.types.get(type)?.get(option)?.place.path ?? 'types'}.${type}.${option}`;
  }
}

/** Plain settings are compared by what they say, schemas by identity: to look into one says nothing about what it does. */
function isSame(left: unknown, right: unknown): boolean {
  return left === right || (isPlain(left) && isPlain(right) && isDeepStrictEqual(left, right));
}

function isPlain(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return typeof value !== 'function';
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) && !('~standard' in value);
}

function contradiction(
  { type, option, other }: { readonly type: string; readonly option: string; readonly other: Entry },
  { value, place }: Entry,
): ConfigurationError {
  const shown = [other.value, value].map((each) => inspect(each, { depth: 1, breakLength: Infinity }));
  const isShort = shown.every((text) => text.length <= 80) && shown[0] !== shown[1];
  const [before, now] = isShort ? [`is ${shown[0]}`, `${shown[1]}`] : ['is set', 'differently'];
  const problem = `${before} in ${other.place.name} and ${now} in ${place.name}: a type has one setting, wherever it stands`;
  return new ConfigurationError(`${place.path}.${type}.${option}`, problem);
}
