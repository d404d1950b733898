import { describe, expect, it } from '@jest/globals';
import { VirtualClock } from '../core/virtual-clock.js';
import { ConnectionErrorLog } from './connection-error-log.js';

describe('ConnectionErrorLog', () => {
  it('says each text once a minute, and the code of an error without a text', () => {
    const clock = new VirtualClock();
    const lines: string[] = [];
    const logger = { log: () => undefined, warn: (line: string) => lines.push(line), error: () => undefined };
    const log = new ConnectionErrorLog(clock, logger);
    const refused = Object.assign(new Error(''), { code: 'ECONNREFUSED' });
    for (let second = 0; second < 59; second++) {
      log.report(refused);
      log.report(new Error('WRONGPASS'));
      clock.jumpMs(1_000);
    }
    expect(lines).toEqual([
      'The connection to Redis failed and is made again: ECONNREFUSED',
      'The connection to Redis failed and is made again: WRONGPASS',
    ]);
    clock.jumpMs(1_000);
    log.report(refused);
    expect(lines).toHaveLength(3);
  });
});
