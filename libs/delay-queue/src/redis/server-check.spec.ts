import { describe, expect, it } from '@jest/globals';
import { ConfigurationError, StoreRejectedError } from '../core/errors.js';
import { checkServer, type CommandSender } from './server-check.js';

/** A server of an age that cannot be installed any more; whatever it is not asked here for, it allows. */
function serverOf(info: string): CommandSender {
  return {
    command: async (name) => {
      if (name === 'INFO') return info;
      if (name === 'CONFIG') return ['maxmemory-policy', 'noeviction'];
      if (name === 'EVALSHA') throw new StoreRejectedError('NOSCRIPT', 'NOSCRIPT No matching script.');
      return 'OK';
    },
  };
}

describe('checkServer', () => {
  it.each([
    ['6.2.0', false],
    ['6.10.1', false],
    ['7.0.15', true],
    ['8.2.1', true],
    ['10.0.0', true],
  ])('takes Redis %s (cluster: %s)', async (version, isCluster) => {
    const info = `# Server\r\nredis_version:${version}\r\nredis_mode:standalone\r\n`;
    await expect(checkServer(serverOf(info), { isCluster })).resolves.toEqual([]);
  });

  it.each([
    ['6.0.16', false],
    ['5.0.14', false],
    ['6.2.14', true],
  ])('refuses Redis %s (cluster: %s)', async (version, isCluster) => {
    const check = checkServer(serverOf(`redis_version:${version}\r\n`), { isCluster });
    await expect(check).rejects.toThrow(ConfigurationError);
    await expect(check).rejects.toThrow(version);
  });

  it('refuses a node of a cluster that is reached as if it stood alone', async () => {
    const info = 'redis_version:7.2.0\r\nredis_mode:cluster\r\n';
    await expect(checkServer(serverOf(info), { isCluster: false })).rejects.toThrow(/Cluster client/);
  });
});
