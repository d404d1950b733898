import { Module } from '@nestjs/common';
import { WebhookHandler } from './webhook.handler.js';
import { WebhooksService } from './webhooks.service.js';

@Module({
  providers: [WebhooksService, WebhookHandler],
  exports: [WebhooksService],
})
export class WebhooksModule {}
