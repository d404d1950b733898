import { beforeEach, describe, expect, it } from '@jest/globals';
import { VirtualClock } from '../core/virtual-clock.js';
import { Progress } from './progress.js';

describe('Progress', () => {
  let clock: VirtualClock;
  let progress: Progress;
  let done: boolean;

  beforeEach(() => {
    clock = new VirtualClock();
    progress = new Progress(clock);
    done = false;
  });

  it('answers at once when the condition holds already, whatever the deadline', async () => {
    expect(await progress.until(() => true, 1_000)).toBe(true);
    expect(await progress.until(() => true, -1)).toBe(true);
    expect(clock.pendingTimers).toBe(0);
  });

  it('answers at once when the deadline has passed', async () => {
    expect(await progress.until(() => false, 0)).toBe(false);
    expect(clock.pendingTimers).toBe(0);
  });

  it('answers with true as soon as the condition holds after a progress, and gives its timer back', async () => {
    const answers: boolean[] = [];
    void progress.until(() => done, 1_000).then((met) => answers.push(met));
    progress.made();
    await clock.advanceMs(10);
    expect(answers).toEqual([]);
    done = true;
    await clock.advanceMs(10);
    // Nobody has said so.
    expect(answers).toEqual([]);
    progress.made();
    expect(clock.pendingTimers).toBe(0);
    await clock.advanceMs(0);
    expect(answers).toEqual([true]);
  });

  it('answers with false at the deadline, not before', async () => {
    const answers: boolean[] = [];
    await clock.advanceMs(500);
    void progress.until(() => done, 1_500).then((met) => answers.push(met));
    await clock.advanceMs(999);
    expect(answers).toEqual([]);
    await clock.advanceMs(1);
    expect(answers).toEqual([false]);
  });

  it('answers with true at the deadline when the condition has come to hold unnoticed', async () => {
    const met = progress.until(() => done, 1_000);
    done = true;
    await clock.advanceMs(1_000);
    expect(await met).toBe(true);
  });

  it('looks no more at a condition that has been answered', async () => {
    let looks = 0;
    const look = () => {
      looks++;
      return done;
    };
    const met = progress.until(look, 1_000);
    done = true;
    progress.made();
    const looksThen = looks;
    progress.made();
    expect(await met).toBe(true);
    expect(looks).toBe(looksThen);
  });

  it('lets several wait, each for its own condition and deadline', async () => {
    let count = 0;
    const answers = Promise.all([2, 1, 3].map((wanted) => progress.until(() => count >= wanted, wanted * 100)));
    for (count = 1; count <= 2; count++) progress.made();
    await clock.advanceMs(1_000);
    // The loop leaves the count at 3, which nobody has said when the deadline of the third comes.
    expect(await answers).toEqual([true, true, true]);
  });

  it('passes `made` on as a bare function', async () => {
    const { made } = progress;
    const met = progress.until(() => done, 1_000);
    done = true;
    made();
    expect(clock.pendingTimers).toBe(0);
    expect(await met).toBe(true);
  });
});
