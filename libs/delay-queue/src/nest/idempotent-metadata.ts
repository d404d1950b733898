import 'reflect-metadata';
import type { MethodSite } from './handler-metadata.js';

const IDEMPOTENT = 'delay-queue:idempotent';

/** Notes the options of `@Idempotent` on a method; as `addDeclaration`, beside its name and on the function. */
export function markIdempotent({ prototype, methodName, method }: MethodSite, options: object): void {
  Reflect.defineMetadata(IDEMPOTENT, options, prototype, methodName);
  Reflect.defineMetadata(IDEMPOTENT, options, method);
}

/** The options of `@Idempotent` on the method that a class itself has under this name, or undefined. */
export function readIdempotent({ prototype, methodName, method }: MethodSite): unknown {
  return (
    Reflect.getOwnMetadata(IDEMPOTENT, prototype, methodName) ?? (Reflect.getOwnMetadata(IDEMPOTENT, method) as unknown)
  );
}
