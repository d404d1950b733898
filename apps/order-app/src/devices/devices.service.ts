import { Injectable } from '@nestjs/common';
import { DelayQueueProducer } from 'nestjs-delay-queue';
import { DeviceRegistry } from './device-registry.js';

/** So long after its last heartbeat a device counts as offline. */
const SILENT_AFTER_MS = 30_000;

/** Keeps watch over devices that send heartbeats. */
@Injectable()
export class DevicesService {
  constructor(
    private readonly registry: DeviceRegistry,
    private readonly delayQueue: DelayQueueProducer,
  ) {}

  isOnline(deviceId: string): boolean {
    return this.registry.get(deviceId).isOnline;
  }

  /**
   * A device has sent a sign of life: its task is postponed once more.
   *
   * When that task has run, or is running at this very moment, a new watch begins under another id. A running task can
   * change nothing any more once its watch is not the current one, and the id that it still holds is in nobody's way.
   */
  async heartbeat(deviceId: string): Promise<void> {
    const { watch } = this.registry.get(deviceId);
    const { status } = await this.delayQueue.reschedule('device_silence', taskId(deviceId, watch), {
      delay: SILENT_AFTER_MS,
    });
    switch (status) {
      case 'rescheduled':
        this.registry.markOnline(deviceId, watch);
        return;
      case 'not_found':
      case 'running':
        await this.beginWatch(deviceId, watch + 1);
        return;
      default:
        status satisfies never;
    }
  }

  /** Of two heartbeats that come at once the second finds the task of the first, which is as good as its own. */
  private async beginWatch(deviceId: string, watch: number): Promise<void> {
    const id = taskId(deviceId, watch);
    await this.delayQueue.schedule('device_silence', { deviceId, watch }, { delay: SILENT_AFTER_MS, id });
    this.registry.markOnline(deviceId, watch);
  }
}

function taskId(deviceId: string, watch: number): string {
  return `device:${deviceId}:${watch}`;
}
