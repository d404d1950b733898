import type { StandardSchemaV1 } from '@standard-schema/spec';

/** A class whose properties carry decorators of class-validator. */
export type PayloadClass<Payload = unknown> = new () => Payload & object;

/**
 * Says what a type's payloads look like: a Standard Schema (of zod 4, valibot, arktype and others) or a class with
 * decorators of class-validator.
 *
 * A class needs the packages `class-validator` and `class-transformer`, which nothing else does.
 *
 * @template Payload what the handler gets: the output of the schema, or an instance of the class.
 */
export type PayloadSchema<Payload = unknown> = StandardSchemaV1<unknown, Payload> | PayloadClass<Payload>;

/** Tells whether a value has the one property that makes a Standard Schema. */
export function isStandardSchema(value: unknown): value is StandardSchemaV1 {
  // Some libraries' schemas are objects, others' are functions.
  if ((typeof value !== 'object' || value === null) && typeof value !== 'function') return false;
  const standard = (value as Partial<StandardSchemaV1>)['~standard'] as Partial<StandardSchemaV1.Props> | undefined;
  return typeof standard === 'object' && standard?.version === 1 && typeof standard.validate === 'function';
}

/** Tells whether a value is a class, or at least a function that can be called with `new`. */
export function isPayloadClass(value: unknown): value is PayloadClass {
  return typeof value === 'function' && typeof value.prototype === 'object' && !isStandardSchema(value);
}

/** Tells whether a value can be the `schema` of a type. */
export function isPayloadSchema(value: unknown): value is PayloadSchema {
  return isStandardSchema(value) || isPayloadClass(value);
}
