import { InvalidArgumentError, InvalidPayloadError } from '../core/errors.js';

/**
 * Names the item in an error about one of its fields: `delay` becomes `items[3].delay`, and an empty field `items[3]`.
 *
 * Made when something is wrong, so that the fields of all the others need no names.
 */
export function itemError(error: unknown, index: number): unknown {
  if (error instanceof InvalidArgumentError) return new InvalidArgumentError(...partsOf(error, index));
  if (error instanceof InvalidPayloadError) {
    const issues = error.issues.map(({ path, message }) => ({ path: `items[${index}].${path}`, message }));
    return InvalidPayloadError.ofIssues(issues, { cause: error.cause });
  }
  return error;
}

function partsOf(
  { field, message, cause }: InvalidArgumentError,
  index: number,
): [field: string, problem: string, options: ErrorOptions] {
  const path = field === '' ? `items[${index}]` : `items[${index}].${field}`;
  return [path, message.slice(`${field}: `.length), { cause }];
}
