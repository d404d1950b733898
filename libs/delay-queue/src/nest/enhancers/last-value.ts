import { isObservable, lastValueFrom } from 'rxjs';

/**
 * Subscribes to what a handler returned if it is an observable, as Nest does everywhere, and answers its last value.
 *
 * Without a subscription an observable does nothing, and the task would be done with nothing done.
 */
export function lastValue(result: unknown): unknown {
  return isObservable(result) ? lastValueFrom(result, { defaultValue: undefined }) : result;
}
