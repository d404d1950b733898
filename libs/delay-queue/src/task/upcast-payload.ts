import { isThenable } from '../core/thenable.js';

/** Turns a payload of one version into the next version. */
export type UpcastStep = {
  // A method's parameter may be narrower than `unknown`, which a function type would not allow.
  step(payload: unknown): unknown;
}['step'];

/** The steps of a type, by the version that they start from. */
export type UpcastSteps = Readonly<Record<number, UpcastStep>>;

/** What a payload is brought up to. */
export interface UpcastGoal {
  /** The type's current version. */
  readonly version: number;
  readonly upcast: UpcastSteps;
}

/** A payload of the current version, or why there is none. */
export type UpcastResult =
  | { readonly kind: 'current'; readonly payload: unknown }
  /** The version is newer than the current one, or a step is missing. */
  | { readonly kind: 'unknown'; readonly reason: string }
  /** A step threw, or did not answer at once. */
  | { readonly kind: 'failed'; readonly reason: string; readonly error: unknown };

/** Brings a payload up to the current version of its type, step by step. */
export function upcastPayload(payload: unknown, version: number, goal: UpcastGoal): UpcastResult {
  if (version > goal.version) {
    return { kind: 'unknown', reason: `payload version ${version} is not known here, the newest is ${goal.version}` };
  }
  let current = payload;
  for (let from = version; from < goal.version; from++) {
    const step = Object.hasOwn(goal.upcast, from) ? goal.upcast[from] : undefined;
    const name = `from payload version ${from} to ${from + 1}`;
    if (step === undefined) return { kind: 'unknown', reason: `there is no upcast ${name}` };
    try {
      current = step(current);
    } catch (error) {
      return { kind: 'failed', reason: `the upcast ${name} threw`, error };
    }
    if (isThenable(current)) return { kind: 'failed', ...promised(current, name) };
  }
  return { kind: 'current', payload: current };
}

/** A step is a plain function of the payload: whoever writes an async one should learn it, and not get a promise. */
function promised(promise: PromiseLike<unknown>, name: string): { readonly reason: string; readonly error: unknown } {
  // Whatever becomes of it is not awaited by anybody, and a rejection would end the process.
  promise.then(undefined, () => undefined);
  return { reason: `the upcast ${name} returned a promise`, error: new TypeError('An upcast must be synchronous.') };
}
