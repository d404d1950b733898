import { Injectable, Logger } from '@nestjs/common';

/** Tells people about devices; this one writes to the log. */
@Injectable()
export class DeviceAlerts {
  private readonly logger = new Logger(DeviceAlerts.name);

  async deviceIsOffline(deviceId: string): Promise<void> {
    this.logger.warn(`Device ${deviceId} is offline.`);
  }
}
