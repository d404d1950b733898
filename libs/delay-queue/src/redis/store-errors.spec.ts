import { describe, expect, it } from '@jest/globals';
import { StoreRejectedError, StoreUnavailableError } from '../core/errors.js';
import { isNoScript, rejectionReason, toStoreError } from './store-errors.js';

function replyError(message: string): Error {
  return Object.assign(new Error(message), { name: 'ReplyError', command: { name: 'evalsha', args: ['secret'] } });
}

describe('rejectionReason', () => {
  it.each([
    ["OOM command not allowed when used memory > 'maxmemory'.", 'OOM'],
    ["READONLY You can't write against a read only replica. script: ab, on @user_script:1.", 'READONLY'],
    ['MISCONF Redis is configured to save RDB snapshots, but …', 'MISCONF'],
    ["NOPERM this user has no permissions to run the 'evalsha' command", 'NOPERM'],
    ['LOADING Redis is loading the dataset in memory', 'LOADING'],
    ['CLUSTERDOWN The cluster is down', 'CLUSTERDOWN'],
    ['BUSY Redis is busy running a script.', 'BUSY'],
    ["ERR ACL failure in script: User app has no permissions to run the 'zadd' command", 'NOPERM'],
    ["ERR Error running script (call to f_1): @user_script:9: The user executing the script can't run this", 'NOPERM'],
    [
      'ERR Error running script (call to f_1): @user_script:9: @user_script: 9: -OOM command not allowed when used',
      'OOM',
    ],
    ["ERR Error running script (call to f_1): @user_script:9: -READONLY You can't write against", 'READONLY'],
    ['ERR unknown command', 'ERR'],
    ['WRONGTYPE Operation against a key holding the wrong kind of value', 'WRONGTYPE'],
  ])('of %j is %s', (message, reason) => {
    expect(rejectionReason(message)).toBe(reason);
  });
});

describe('toStoreError', () => {
  it('calls an answer of the server a refusal, and carries no arguments of the command along', () => {
    const error = toStoreError(replyError('OOM command not allowed'), 'mutate');
    expect(error).toBeInstanceOf(StoreRejectedError);
    expect(error).toMatchObject({ reason: 'OOM', outcome: 'not_sent' });
    expect(error.message).toContain('mutate');
    expect(error.cause).toBeUndefined();
  });

  it('finds the refusal that a cluster client gave up on', () => {
    const error = new Error('Too many Cluster redirections. Last error: ReplyError: TRYAGAIN Multiple keys request');
    expect(toStoreError(error, 'turn')).toMatchObject({ reason: 'TRYAGAIN' });
  });

  it.each([
    "Stream isn't writeable and enableOfflineQueue options is false",
    "Cluster isn't ready and enableOfflineQueue options is false",
  ])('says that nothing was sent after %j', (message) => {
    const error = toStoreError(new Error(message), 'turn');
    expect(error).toBeInstanceOf(StoreUnavailableError);
    expect(error.outcome).toBe('not_sent');
  });

  it.each(['Connection is closed.', 'Reached the max retries per request limit (which is 0).', 'write EPIPE'])(
    'does not claim to know what became of a call after %j',
    (message) => {
      expect(toStoreError(new Error(message), 'turn').outcome).toBe('unknown');
    },
  );
});

describe('isNoScript', () => {
  it('is true for that refusal only', () => {
    expect(isNoScript(replyError('NOSCRIPT No matching script. Please use EVAL.'))).toBe(true);
    expect(isNoScript(replyError('NOPERM'))).toBe(false);
    expect(isNoScript(new Error('NOSCRIPT'))).toBe(false);
  });
});
