import { describe, expect, it } from '@jest/globals';
import { AnswerWatch } from './answer-watch.js';

describe('AnswerWatch', () => {
  function watchAt(): { watch: AnswerWatch; clock: { nowMs: number } } {
    const clock = { nowMs: 1_000 };
    return { clock, watch: new AnswerWatch(100, () => clock.nowMs) };
  }

  it('counts silence from the first call that waits, not from the last answer', () => {
    const { watch, clock } = watchAt();
    clock.nowMs += 10_000;
    watch.sent();
    clock.nowMs += 99;
    expect(watch.isDeaf()).toBe(false);
    clock.nowMs += 1;
    expect(watch.isDeaf()).toBe(true);
  });

  it('starts anew with every answer, whichever call it answers', () => {
    const { watch, clock } = watchAt();
    watch.sent();
    watch.sent();
    clock.nowMs += 90;
    watch.answered();
    clock.nowMs += 90;
    expect(watch.isDeaf()).toBe(false);
    clock.nowMs += 10;
    expect(watch.isDeaf()).toBe(true);
  });

  it('goes on counting while one call after another is sent in vain', () => {
    const { watch, clock } = watchAt();
    for (let call = 0; call < 5; call++) {
      watch.sent();
      clock.nowMs += 20;
    }
    expect(watch.isDeaf()).toBe(true);
  });

  it('is at rest when all calls were answered or lost with their connection', () => {
    const { watch, clock } = watchAt();
    watch.sent();
    watch.sent();
    expect(watch.isIdle).toBe(false);
    watch.answered();
    watch.lost();
    clock.nowMs += 1_000;
    expect(watch.isIdle).toBe(true);
    expect(watch.isDeaf()).toBe(false);
  });
});
