/** The process of one participant: answers the calls that come over IPC, until its parent is gone. */
import type { ParticipantAnswer, ParticipantApi, ParticipantCall } from './participant-api.js';
import { ParticipantHost } from './participant-host.js';

const host: ParticipantApi = new ParticipantHost();

process.on('message', (message) => void answer(message as ParticipantCall));
process.on('disconnect', () => process.exit());

async function answer({ call, method, args }: ParticipantCall): Promise<void> {
  const run = host[method] as (...args: unknown[]) => Promise<unknown>;
  try {
    send({ call, result: await run.apply(host, [...args]) });
  } catch (error) {
    send({ call, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
}

function send(reply: ParticipantAnswer): void {
  process.send?.(reply);
}
