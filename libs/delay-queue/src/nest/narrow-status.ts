import type { MutationResult, MutationStatus } from '../ports/mutation.js';

/** Takes a mutation's status as one of those that this kind of mutation can have; anything else is a fault of the store. */
export function narrowStatus<Status extends MutationStatus>(
  { status }: MutationResult,
  possible: readonly Status[],
): Status {
  const found = possible.find((candidate) => candidate === status);
  if (found === undefined) throw new Error(`The store answered '${status}' where only ${possible.join(', ')} can be.`);
  return found;
}
