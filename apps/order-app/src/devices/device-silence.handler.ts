import { Injectable } from '@nestjs/common';
import { OnDelayedTask } from 'nestjs-delay-queue';
import { DeviceAlerts } from './device-alerts.js';
import { DeviceRegistry } from './device-registry.js';

/** Runs when a device has sent no heartbeat for a while. */
@Injectable()
export class DeviceSilenceHandler {
  constructor(
    private readonly registry: DeviceRegistry,
    private readonly alerts: DeviceAlerts,
  ) {}

  @OnDelayedTask('device_silence', { concurrency: 50 })
  async markOffline({ deviceId, watch }: { readonly deviceId: string; readonly watch: number }): Promise<void> {
    if (this.registry.markOffline(deviceId, watch)) await this.alerts.deviceIsOffline(deviceId);
  }
}
