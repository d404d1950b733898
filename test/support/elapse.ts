import { setTimeout as timer } from 'node:timers/promises';

/**
 * Lets time pass, where time itself is what the test is about: how long a server is away, how old a lease has grown.
 *
 * Whatever can be seen to happen is waited for with `waitFor` instead.
 */
export async function elapse(ms: number): Promise<void> {
  await timer(ms);
}
