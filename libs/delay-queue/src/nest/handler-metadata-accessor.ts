import { Injectable } from '@nestjs/common';
import { type HandlerDeclaration, type MethodSite, readDeclarations } from './handler-metadata.js';
import { readIdempotent } from './idempotent-metadata.js';

/** A function that may handle tasks. */
export type HandlerFunction = (this: object, ...args: unknown[]) => unknown;

/** What is known of one method of a class. */
export interface MethodDeclarations {
  /** The function that a call of the method runs. */
  readonly method: HandlerFunction;
  readonly declarations: readonly HandlerDeclaration[];
  /** What a handler that this method overrides was declared for. */
  readonly overridden: readonly HandlerDeclaration[];
  /** What stands in its `@Idempotent`, or undefined. */
  readonly idempotent: unknown;
  /** A handler that this method overrides has `@Idempotent`. */
  readonly overridesIdempotent: boolean;
}

/** Reads what `@OnDelayedTask` and `@Idempotent` have noted on methods; never touches an instance, whose getters would run. */
@Injectable()
export class HandlerMetadataAccessor {
  /** Finds the function behind a method's name, and its declarations. */
  read(prototype: object, methodName: string): MethodDeclarations | undefined {
    const [own, ...overriddenSites] = sites(prototype, methodName);
    if (own === undefined) return undefined;
    return {
      method: own.method as HandlerFunction,
      declarations: readDeclarations(own),
      overridden: overriddenSites.flatMap(readDeclarations),
      idempotent: readIdempotent(own),
      overridesIdempotent: overriddenSites.some((site) => readIdempotent(site) !== undefined),
    };
  }
}

/** The classes that have a method of this name, from the most derived to the most basic. */
function sites(prototype: object, methodName: string): readonly MethodSite[] {
  const found: MethodSite[] = [];
  for (let owner: object | null = prototype; owner !== null; owner = Reflect.getPrototypeOf(owner)) {
    const method: unknown = Reflect.getOwnPropertyDescriptor(owner, methodName)?.value;
    if (typeof method === 'function') found.push({ prototype: owner, methodName, method });
  }
  return found;
}
