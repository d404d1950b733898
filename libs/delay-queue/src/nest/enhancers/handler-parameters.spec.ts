import { describe, expect, it } from '@jest/globals';
import { Body, createParamDecorator, Headers } from '@nestjs/common';
import { ConfigurationError } from '../../core/errors.js';
import { assertParameters, PARAMETER_KINDS, readParameters } from './handler-parameters.js';
import { TaskContext } from './task-context.decorator.js';
import { TaskPayload } from './task-payload.decorator.js';

const Custom = createParamDecorator(() => 'custom');
const trim = { transform: (value: unknown) => value };

class Handlers {
  both(@TaskPayload(trim) _payload: unknown, @TaskContext() _task: unknown): void {}

  custom(@Custom() _first: unknown, @TaskPayload() _payload: unknown): void {}

  plain(_payload: unknown, _task: unknown): void {}

  partly(@TaskPayload() _payload: unknown, _task: unknown): void {}

  http(@TaskPayload() _payload: unknown, @Headers() _headers: unknown): void {}

  part(@Body('orderId') _orderId: unknown): void {}

  twice(@TaskPayload() @TaskContext() _both: unknown): void {}
}

class Derived extends Handlers {
  override both(@TaskContext() _task: unknown): void {}
}

function check(methodName: keyof Handlers): void {
  const { length } = Handlers.prototype[methodName];
  assertParameters({ name: methodName, count: length, parameters: readParameters(Handlers, methodName) });
}

describe('parameters of a handler', () => {
  it('are read with what they receive and their pipes', () => {
    const parameters = readParameters(Handlers, 'both').toSorted((a, b) => a.index - b.index);
    expect(parameters).toEqual([
      { index: 0, kind: String(PARAMETER_KINDS.payload), data: undefined, pipes: [trim] },
      { index: 1, kind: String(PARAMETER_KINDS.task), data: undefined, pipes: [] },
    ]);
    expect(readParameters(Handlers, 'plain')).toEqual([]);
  });

  it('of a method that overrides another are its own', () => {
    expect(readParameters(Derived, 'both').map(({ index, kind }) => [index, kind])).toEqual([
      [0, String(PARAMETER_KINDS.task)],
    ]);
    expect(readParameters(Derived, 'partly')).toHaveLength(1);
  });

  it.each<keyof Handlers>(['both', 'custom', 'plain'])('are accepted: %s', (methodName) => {
    expect(() => check(methodName)).not.toThrow();
  });

  it.each<[keyof Handlers, string]>([
    ['partly', 'parameter 2 has no decorator, and others have: mark it with @TaskPayload() or @TaskContext()'],
    ['http', 'parameter 2 has a decorator that knows nothing of tasks'],
    ['part', 'parameter 1 has a decorator that knows nothing of tasks'],
    ['twice', 'parameter 1 has two decorators that say what it receives'],
  ])('are refused when a task cannot fill them: %s', (methodName, problem) => {
    expect(() => check(methodName)).toThrow(ConfigurationError);
    expect(() => check(methodName)).toThrow(`${methodName}: ${problem}`);
  });

  it('cannot be decorated elsewhere', () => {
    expect(() => {
      class Static {
        static handle(@TaskPayload() _payload: unknown): void {}
      }
      return Static;
    }).toThrow('Static.handle: is not an instance method');
    expect(() => {
      class Constructed {
        constructor(@TaskContext() _task: unknown) {}
      }
      return Constructed;
    }).toThrow('Constructed.constructor: is not an instance method');
  });
});
