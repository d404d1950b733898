import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { PayloadIssue } from '../core/errors.js';
import { isThenable } from '../core/thenable.js';
import { type PayloadCheck, payloadPath, type PayloadVerdict } from '../task/payload-check.js';

/** Makes the check of a Standard Schema; it answers at once when the schema does. */
export function standardSchemaCheck(schema: StandardSchemaV1): PayloadCheck {
  const { '~standard': standard } = schema;
  return (payload) => {
    const result = standard.validate(payload);
    return isThenable(result) ? Promise.resolve(result).then(toVerdict) : toVerdict(result);
  };
}

function toVerdict(result: StandardSchemaV1.Result<unknown>): PayloadVerdict {
  return !result.issues
    ? { kind: 'valid', payload: result.value }
    : { kind: 'invalid', issues: Array.from(result.issues, toIssue) };
}

/** By `Array.from` throughout: `map` of a library's own kind of array makes another one of that kind. */
function toIssue({ message, path = [] }: StandardSchemaV1.Issue): PayloadIssue {
  return { path: payloadPath(Array.from(path, keyOf)), message };
}

function keyOf(segment: PropertyKey | StandardSchemaV1.PathSegment): PropertyKey {
  return typeof segment === 'object' ? segment.key : segment;
}
