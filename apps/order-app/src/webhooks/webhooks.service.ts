import { Injectable } from '@nestjs/common';
import { DelayQueueProducer, type PayloadOf } from 'nestjs-delay-queue';

/** Tells other systems what has happened here. */
@Injectable()
export class WebhooksService {
  constructor(private readonly delayQueue: DelayQueueProducer) {}

  /**
   * Has a webhook called, now and again until it has answered well.
   *
   * @param id of what is told: telling the same thing twice calls the webhook once.
   */
  async call(id: string, webhook: PayloadOf<'webhook'>): Promise<void> {
    await this.delayQueue.schedule('webhook', webhook, { delay: 0, id: `webhook:${id}` });
  }
}
