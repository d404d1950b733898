import { Injectable } from '@nestjs/common';
import { type DelayedTask, OnDelayedTask, TaskOutcome } from 'nestjs-delay-queue';

/** Answers below 500 that may be different the next time. */
const WORTH_A_RETRY: readonly number[] = [408, 425, 429];

/** Calls webhooks. */
@Injectable()
export class WebhookHandler {
  /**
   * Posts the body to the URL.
   *
   * What fails is tried again after 5 s, 10 s, 20 s … up to an hour, for about a day. A server that says when to come again
   * is asked then; one that refuses the call as such is not asked again.
   */
  @OnDelayedTask('webhook', {
    concurrency: 20,
    handlerTimeout: '10s',
    maxRetries: 30,
    backoff: { type: 'exponential', base: '5s', max: '1h', jitter: 0.2 },
  })
  async post(
    { url, body }: { readonly url: string; readonly body: Readonly<Record<string, unknown>> },
    task: DelayedTask<'webhook'>,
  ): Promise<TaskOutcome> {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': task.id },
      body: JSON.stringify(body),
      // Aborted after `handlerTimeout`, and when the process stops.
      signal: task.signal,
    });
    // Not read to its end, a response keeps its connection.
    await response.arrayBuffer();
    return outcomeOf(response);
  }
}

function outcomeOf({ ok, status, headers }: Response): TaskOutcome {
  if (ok) return TaskOutcome.complete();
  const error = new Error(`The webhook answered ${status}.`);
  if (status < 500 && !WORTH_A_RETRY.includes(status)) return TaskOutcome.bury(error.message, error);
  const retryAfterSeconds = Number(headers.get('retry-after') ?? Number.NaN);
  if (!Number.isFinite(retryAfterSeconds) || retryAfterSeconds < 0) throw error;
  return TaskOutcome.retry({ delay: retryAfterSeconds * 1_000, error });
}
