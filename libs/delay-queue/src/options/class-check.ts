import { ConfigurationError, type PayloadIssue } from '../core/errors.js';
import { type PayloadCheck, payloadPath } from '../task/payload-check.js';
import type { ClassPackages, ClassValidationError } from './class-packages.js';
import type { PayloadClass } from './payload-schema.js';

/**
 * Makes the check of a class with decorators of class-validator; a valid payload becomes an instance of it.
 *
 * @param field the option that names the class, for the error.
 * @throws ConfigurationError when the class has no rules, and would refuse everything.
 */
export function classCheck(target: PayloadClass, packages: ClassPackages, field: string): PayloadCheck {
  if (!packages.hasRules(target)) {
    const problem =
      `is the class ${target.name}, whose properties carry no decorator of class-validator ` +
      '(or one of another copy of that package)';
    throw new ConfigurationError(field, problem);
  }
  return async (payload) => {
    if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) {
      return { kind: 'invalid', issues: [{ path: payloadPath([]), message: 'must be an object' }] };
    }
    const instance = packages.toInstance(target, payload);
    // Not `validateSync`, which passes over rules that answer later.
    const errors = await packages.validate(instance);
    return errors.length === 0
      ? { kind: 'valid', payload: instance }
      : { kind: 'invalid', issues: errors.flatMap((error) => toIssues(error, [])) };
  };
}

function toIssues(error: ClassValidationError, parents: readonly string[]): readonly PayloadIssue[] {
  const { property, constraints = {}, children = [] } = error;
  const keys = property === undefined ? parents : [...parents, property];
  const own = Object.values(constraints).map((message) => ({ path: payloadPath(keys), message }));
  return [...own, ...children.flatMap((child) => toIssues(child, keys))];
}
