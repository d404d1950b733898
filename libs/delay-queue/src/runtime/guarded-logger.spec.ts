import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { GuardedLogger } from './guarded-logger.js';

describe('GuardedLogger', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('passes every line on', () => {
    const lines: unknown[] = [];
    const line = (...words: unknown[]): void => void lines.push(words);
    const logger = new GuardedLogger({ log: line, warn: line, error: line });
    const error = new Error('x');
    logger.log('a');
    logger.warn('b');
    logger.error('c', error);
    expect(lines).toEqual([['a'], ['b'], ['c', error]]);
  });

  it('turns a line that the logger throws on into a warning of the process', () => {
    const warning = jest.spyOn(process, 'emitWarning').mockReturnValue(undefined);
    const fail = (): never => {
      throw new Error('disk full');
    };
    const logger = new GuardedLogger({ log: fail, warn: fail, error: fail });
    logger.log('a');
    logger.warn('b');
    logger.error('c');
    expect(warning.mock.calls.map(([message]) => message)).toEqual([
      'The logger threw (Error: disk full) on: a',
      'The logger threw (Error: disk full) on: b',
      'The logger threw (Error: disk full) on: c',
    ]);
  });
});
