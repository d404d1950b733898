import 'reflect-metadata';
import type { HandlerOptions } from '../options/queue-options.js';
import { NEST_METADATA } from './enhancers/nest-metadata.js';

/** What one `@OnDelayedTask` says about the method it stands on. */
export interface HandlerDeclaration {
  readonly type: string;
  /** Name of the queue that the method belongs to; checked at boot. */
  readonly queue: string;
  readonly options: HandlerOptions;
  /** Set when every parameter is said to carry a decorator. */
  readonly parameters?: 'decorated';
}

/** A method as its decorators see it. */
export interface MethodSite {
  /** The class's prototype. */
  readonly prototype: object;
  readonly methodName: string;
  /** The function that the class itself has under this name. */
  readonly method: object;
}

const DECLARATIONS = 'delay-queue:handler-declarations';

/**
 * Adds a declaration to a method.
 *
 * It is written beside the method's name, where it survives another decorator that replaces the function, and on the
 * function, where it survives a mixin that copies the method to another class.
 */
export function addDeclaration({ prototype, methodName, method }: MethodSite, declaration: HandlerDeclaration): void {
  const atName = declarationsAt(prototype, methodName);
  Reflect.defineMetadata(DECLARATIONS, [...atName, declaration], prototype, methodName);
  const onFunction = declarationsOn(method);
  Reflect.defineMetadata(DECLARATIONS, [...onFunction, declaration], method);
  // So that guards, interceptors and filters of the whole application that are made for each request are made for it too.
  Reflect.defineMetadata(NEST_METADATA.entryProvider, true, prototype.constructor);
}

/** The declarations of the method that a class itself has under this name; what it inherits does not count. */
export function readDeclarations({ prototype, methodName, method }: MethodSite): readonly HandlerDeclaration[] {
  const atName = declarationsAt(prototype, methodName);
  return atName.length > 0 ? atName : declarationsOn(method);
}

function declarationsAt(prototype: object, methodName: string): readonly HandlerDeclaration[] {
  const found: unknown = Reflect.getOwnMetadata(DECLARATIONS, prototype, methodName);
  return (found as readonly HandlerDeclaration[] | undefined) ?? [];
}

function declarationsOn(method: object): readonly HandlerDeclaration[] {
  const found: unknown = Reflect.getOwnMetadata(DECLARATIONS, method);
  return (found as readonly HandlerDeclaration[] | undefined) ?? [];
}
