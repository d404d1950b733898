import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Test, type TestingModule } from '@nestjs/testing';
import { type DelayQueueTesting, DelayQueueTestingModule } from 'nestjs-delay-queue/testing';
import { type PushNotification, PushNotifications } from './push-notifications.js';
import { RemindersModule } from './reminders.module.js';
import { RemindersService } from './reminders.service.js';

const DAY_MS = 86_400_000;

describe('reminders', () => {
  let app: TestingModule;
  let queue: DelayQueueTesting;
  let reminders: RemindersService;
  let sent: PushNotification[];
  let failures: number;

  beforeEach(async () => {
    sent = [];
    failures = 0;
    const send = async (notification: PushNotification): Promise<void> => {
      if (failures-- > 0) throw new Error('the push service is away');
      sent.push(notification);
    };
    app = await Test.createTestingModule({ imports: [DelayQueueTestingModule.forRoot(), RemindersModule] })
      .overrideProvider(PushNotifications)
      .useValue({ send })
      .compile();
    await app.init();
    queue = DelayQueueTestingModule.of(app);
    reminders = app.get(RemindersService);
  });

  afterEach(() => app.close());

  const inDays = (days: number): Date => new Date(queue.clock.nowMs() + days * DAY_MS);

  it('are pushed at their time, 30 days ahead, in a moment of real time', async () => {
    const beganAt = performance.now();
    const at = inDays(30);
    await reminders.set({ id: '1', userId: 'ada', text: 'Renew the passport', at });
    await queue.tasks.expectScheduled('reminder', { id: 'reminder:1', at });
    await queue.clock.advance('29 days');
    expect(sent).toEqual([]);
    await queue.clock.advance('1 day');
    expect(sent).toMatchObject([{ userId: 'ada', text: 'Renew the passport' }]);
    expect(queue.tasks.runs('reminder')).toMatchObject([{ startedAt: at, outcome: 'completed' }]);
    // It takes a fraction of a second; the rest is for a busy machine.
    expect(performance.now() - beganAt).toBeLessThan(10_000);
  });

  it('can be set anew, moved and removed', async () => {
    for (const id of ['1', '2', '3']) await reminders.set({ id, userId: 'ada', text: `old ${id}`, at: inDays(1) });
    await reminders.set({ id: '1', userId: 'ada', text: 'new 1', at: inDays(2) });
    expect(await reminders.move('2', inDays(3))).toBe(true);
    expect(await reminders.remove('3')).toBe(true);
    await queue.clock.advance('1 week');
    expect(sent.map(({ text }) => text)).toEqual(['new 1', 'old 2']);
    expect(await reminders.move('1', inDays(3))).toBe(false);
    expect(await reminders.remove('2')).toBe(false);
  });

  it('are tried again with the same key while the push service is away', async () => {
    failures = 3;
    await reminders.set({ id: '1', userId: 'ada', text: 'Tea', at: inDays(1) });
    await queue.clock.advance('2 days');
    expect(queue.tasks.runs().map(({ outcome }) => outcome)).toEqual(['retried', 'retried', 'retried', 'completed']);
    expect(sent).toHaveLength(1);
  });

  it('that lie in the past are pushed at once', async () => {
    await reminders.set({ id: '1', userId: 'ada', text: 'Too late', at: inDays(-1) });
    await queue.clock.advance(0);
    expect(sent).toHaveLength(1);
  });
});
