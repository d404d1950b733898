import { Injectable, Logger } from '@nestjs/common';

/** A notification for the phone of a user. */
export interface PushNotification {
  readonly userId: string;
  readonly text: string;
  /** Of two notifications with one key, a push service shows the first: a task may be delivered more than once. */
  readonly key: string;
}

/** Sends notifications; this one writes them to the log, a real one calls a push service. */
@Injectable()
export class PushNotifications {
  private readonly logger = new Logger(PushNotifications.name);

  async send({ userId, text }: PushNotification): Promise<void> {
    this.logger.log(`To ${userId}: ${text}`);
  }
}
