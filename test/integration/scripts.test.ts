import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { assembleScripts, type RedisScript } from '../../libs/delay-queue/src/redis/scripts/redis-scripts.js';
import { RedisServer } from '../support/redis-server.js';
import { testClockScripts } from '../support/test-clock-scripts.js';

const scripts: readonly RedisScript[] = Object.values(assembleScripts());

let server: RedisServer;
let redis: Redis;
beforeAll(async () => {
  server = await RedisServer.start();
  redis = new Redis(server.url);
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

describe.each(scripts.map((script) => [script.name, script] as const))('the script %s', (_, script) => {
  it('is known to the server by the name that we call it by', async () => {
    expect(await redis.script('LOAD', script.text)).toBe(script.sha1);
  });

  it('takes its time from the server and from nowhere else', () => {
    expect(script.text).toContain(`redis.call('TIME')`);
    expect(script.text).not.toContain('delay-queue-test');
  });
});

it('the scripts with the clock of the tests differ from the others in that only', () => {
  for (const [index, { text }] of Object.values(testClockScripts()).entries()) {
    const head = /local function serverNowUs\(\)[^]*?\nend/;
    expect(text).not.toContain(`redis.call('TIME')`);
    expect(text.replace(head, '')).toBe(scripts[index]?.text.replace(head, ''));
  }
});
