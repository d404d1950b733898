import { Injectable } from '@nestjs/common';

/** What is known of a device. */
export interface Device {
  readonly isOnline: boolean;
  /** Number of the watch that is kept over it: each has a task of its own. */
  readonly watch: number;
}

const UNKNOWN: Device = { isOnline: false, watch: 0 };

/**
 * The devices and whether they are online.
 *
 * They are kept in this process. Several processes share a table instead, in which each of these steps is one conditional
 * update.
 */
@Injectable()
export class DeviceRegistry {
  private readonly devices = new Map<string, Device>();

  get(deviceId: string): Device {
    return this.devices.get(deviceId) ?? UNKNOWN;
  }

  /** A heartbeat has come while this watch was kept, or begins it; an earlier one never comes back. */
  markOnline(deviceId: string, watch: number): void {
    this.devices.set(deviceId, { isOnline: true, watch: Math.max(watch, this.get(deviceId).watch) });
  }

  /** The watch has heard nothing: true when it still counts, and the device was online. */
  markOffline(deviceId: string, watch: number): boolean {
    const device = this.get(deviceId);
    if (device.watch !== watch || !device.isOnline) return false;
    this.devices.set(deviceId, { ...device, isOnline: false });
    return true;
  }
}
