import { Module } from '@nestjs/common';
import { DeviceAlerts } from './device-alerts.js';
import { DeviceRegistry } from './device-registry.js';
import { DeviceSilenceHandler } from './device-silence.handler.js';
import { DevicesService } from './devices.service.js';

@Module({
  providers: [DevicesService, DeviceRegistry, DeviceSilenceHandler, DeviceAlerts],
  exports: [DevicesService],
})
export class DevicesModule {}
