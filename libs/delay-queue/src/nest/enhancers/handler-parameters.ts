import 'reflect-metadata';
import type { PipeTransform, Type } from '@nestjs/common';
import { ConfigurationError } from '../../core/errors.js';
import { CUSTOM_PARAMETER, NEST_METADATA } from './nest-metadata.js';

/** A pipe, or the class of one that Nest is to make. */
export type ParameterPipe = PipeTransform | Type<PipeTransform>;

/** What a decorated parameter receives, numbered as Nest numbers it. */
export const PARAMETER_KINDS = {
  /** The number of a request's body, so that pipes see `metadata.type === 'body'`: `ValidationPipe` passes over others. */
  payload: 3,
  /** No number of Nest's own: pipes see `metadata.type === 'custom'`. */
  task: 100,
} as const;

/** A parameter of a handler that a decorator is on. */
export interface DecoratedParameter {
  readonly index: number;
  /** As it stands before the colon of the entry's key: a number of Nest's, or the text of a custom decorator. */
  readonly kind: string;
  /** What a decorator was given to choose a part, such as `'orderId'` in `@Body('orderId')`. */
  readonly data: unknown;
  readonly pipes: readonly unknown[];
}

interface ParameterEntry {
  readonly index: number;
  readonly data?: unknown;
  readonly pipes?: readonly unknown[];
}

type ParameterEntries = Readonly<Record<string, ParameterEntry>>;

/** Where a parameter stands. */
export interface ParameterSite {
  readonly target: object;
  readonly key: string | symbol | undefined;
  readonly index: number;
}

/**
 * Notes what a parameter of a handler receives, in the place where Nest looks for it.
 *
 * @throws ConfigurationError when the parameter is not one of an instance method.
 */
export function markParameter(site: ParameterSite, kind: number, pipes: readonly ParameterPipe[]): void {
  const { target, key, index } = site;
  if (typeof target === 'function') {
    const name = key === undefined ? 'constructor' : String(key);
    throw new ConfigurationError(`${target.name}.${name}`, 'is not an instance method; handlers of tasks are');
  }
  if (key === undefined)
    throw new ConfigurationError(target.constructor.name, 'has a decorated parameter in no method');
  // What a base class says about the method that this one overrides does not count.
  const others = (Reflect.getOwnMetadata(NEST_METADATA.parameters, target.constructor, key) ?? {}) as ParameterEntries;
  const entries: ParameterEntries = { ...others, [`${kind}:${index}`]: { index, pipes } };
  Reflect.defineMetadata(NEST_METADATA.parameters, entries, target.constructor, key);
}

/** The decorated parameters of a method, in no order. */
export function readParameters(owner: object, methodName: string): readonly DecoratedParameter[] {
  const entries = (Reflect.getMetadata(NEST_METADATA.parameters, owner, methodName) ?? {}) as ParameterEntries;
  return Object.entries(entries).map(([key, { index, data, pipes = [] }]) => ({
    index,
    kind: key.split(':', 1)[0] ?? '',
    data,
    pipes,
  }));
}

/** A method and its decorated parameters. */
export interface ParameterCheck {
  /** `Class.method`. */
  readonly name: string;
  /** How many parameters the method has, as far as the compiler and the engine tell. */
  readonly count: number;
  readonly parameters: readonly DecoratedParameter[];
}

/**
 * Refuses parameters that a task cannot fill: Nest would pass `undefined` without a word.
 *
 * @throws ConfigurationError naming the method and the parameter.
 */
export function assertParameters({ name, count, parameters }: ParameterCheck): void {
  for (const parameter of parameters) {
    if (!isForTasks(parameter)) {
      throw new ConfigurationError(name, `${ordinal(parameter)} has a decorator that knows nothing of tasks`);
    }
    if (parameters.some((other) => other !== parameter && other.index === parameter.index)) {
      throw new ConfigurationError(name, `${ordinal(parameter)} has two decorators that say what it receives`);
    }
  }
  if (parameters.length === 0) return;
  for (let index = 0; index < count; index++) {
    if (parameters.some((parameter) => parameter.index === index)) continue;
    throw new ConfigurationError(
      name,
      `${ordinal({ index })} has no decorator, and others have: mark it with @TaskPayload() or @TaskContext()`,
    );
  }
}

function isForTasks({ kind, data }: DecoratedParameter): boolean {
  if (kind.includes(CUSTOM_PARAMETER)) return true;
  if (data !== undefined) return false;
  return kind === String(PARAMETER_KINDS.payload) || kind === String(PARAMETER_KINDS.task);
}

function ordinal({ index }: Pick<DecoratedParameter, 'index'>): string {
  return `parameter ${index + 1}`;
}
