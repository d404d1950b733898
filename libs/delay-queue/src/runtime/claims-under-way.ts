import type { TurnReply } from '../ports/turn.js';
import type { ComposedTurn } from './turn-composer.js';

/** Knows what the unanswered claims of a lane may bring, and what the last answered one has shown. */
export class ClaimsUnderWay {
  private taskCount = 0;
  private suspect = false;
  private more = false;

  /** Most tasks that they may bring beyond the places which are reserved for them. */
  get ahead(): number {
    return this.taskCount;
  }

  /** One of them may bring a suspect: the next claim must leave suspects alone. */
  get mayBringSuspect(): boolean {
    return this.suspect;
  }

  /** As far as is known, more is due than was taken. */
  get moreIsDue(): boolean {
    return this.more;
  }

  sent({ request: { claim }, ahead }: ComposedTurn): void {
    this.taskCount += ahead;
    if (claim !== null && claim.suspects !== 'leave') this.suspect = true;
  }

  /** A turn has been answered, or given up (null). */
  answered({ request: { claim }, ahead }: ComposedTurn, reply: TurnReply | null): void {
    this.taskCount -= ahead;
    if (claim === null) return;
    if (claim.suspects !== 'leave') this.suspect = false;
    this.more = reply !== null && reply.overdueLeft;
  }
}
