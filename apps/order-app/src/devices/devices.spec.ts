import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Test, type TestingModule } from '@nestjs/testing';
import { type DelayQueueTesting, DelayQueueTestingModule } from 'nestjs-delay-queue/testing';
import { DeviceAlerts } from './device-alerts.js';
import { DevicesModule } from './devices.module.js';
import { DevicesService } from './devices.service.js';

describe('devices', () => {
  let app: TestingModule;
  let queue: DelayQueueTesting;
  let devices: DevicesService;
  let alerts: string[];
  /** What an alert waits for. */
  let gate: Promise<void> | null;

  beforeEach(async () => {
    alerts = [];
    gate = null;
    const deviceIsOffline = async (deviceId: string): Promise<void> => {
      alerts.push(deviceId);
      await gate;
    };
    app = await Test.createTestingModule({ imports: [DelayQueueTestingModule.forRoot(), DevicesModule] })
      .overrideProvider(DeviceAlerts)
      .useValue({ deviceIsOffline })
      .compile();
    await app.init();
    queue = DelayQueueTestingModule.of(app);
    devices = app.get(DevicesService);
  });

  afterEach(() => app.close());

  it('stay online while heartbeats come, with one task that is postponed each time', async () => {
    for (let beat = 0; beat < 100; beat++) {
      await devices.heartbeat('7');
      await queue.clock.advance('29s');
    }
    expect(devices.isOnline('7')).toBe(true);
    expect(await queue.tasks.waiting('device_silence')).toHaveLength(1);
    expect(queue.tasks.runs()).toEqual([]);
  });

  it('are offline 30 s after their last heartbeat, and online again with the next one', async () => {
    await devices.heartbeat('7');
    await queue.clock.advance('10s');
    await devices.heartbeat('7');
    await queue.clock.advance('29s');
    expect(devices.isOnline('7')).toBe(true);
    await queue.clock.advance('1s');
    expect([devices.isOnline('7'), alerts]).toEqual([false, ['7']]);
    await devices.heartbeat('7');
    expect(devices.isOnline('7')).toBe(true);
    await queue.clock.advance('30s');
    expect([devices.isOnline('7'), alerts]).toEqual([false, ['7', '7']]);
  });

  it('are watched each on its own', async () => {
    await devices.heartbeat('7');
    await queue.clock.advance('20s');
    await devices.heartbeat('8');
    await queue.clock.advance('10s');
    expect([devices.isOnline('7'), devices.isOnline('8')]).toEqual([false, true]);
  });

  it('whose heartbeat comes while the task is running are online, and watched on', async () => {
    let release = (): void => undefined;
    gate = new Promise((resolve) => (release = resolve));
    await devices.heartbeat('7');
    const advanced = queue.clock.advance('30s');
    while (alerts.length === 0) await nextTurn();
    expect(devices.isOnline('7')).toBe(false);
    expect(await queue.tasks.running('device_silence')).toHaveLength(1);
    await devices.heartbeat('7');
    expect(devices.isOnline('7')).toBe(true);
    release();
    await advanced;
    // The task that was late has not taken the watch with it.
    expect(devices.isOnline('7')).toBe(true);
    await queue.clock.advance('29s');
    expect(devices.isOnline('7')).toBe(true);
    await queue.clock.advance('1s');
    expect([devices.isOnline('7'), alerts]).toEqual([false, ['7', '7']]);
  });

  it('that send heartbeats at once, in any state, are watched by one task', async () => {
    await Promise.all([devices.heartbeat('7'), devices.heartbeat('7'), devices.heartbeat('7')]);
    expect(await queue.tasks.waiting('device_silence')).toHaveLength(1);
    await queue.clock.advance('30s');
    await Promise.all([devices.heartbeat('7'), devices.heartbeat('7')]);
    expect(await queue.tasks.waiting('device_silence')).toHaveLength(1);
    expect(devices.isOnline('7')).toBe(true);
    await queue.clock.advance('30s');
    expect(alerts).toEqual(['7', '7']);
  });
});
