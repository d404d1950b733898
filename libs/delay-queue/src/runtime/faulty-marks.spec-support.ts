import { StoreUnavailableError } from '../core/errors.js';
import type {
  DoneMark,
  FinishAnswer,
  IdempotencyStore,
  MarkAnswer,
  MarkClaim,
  MarkOwner,
  OwnMarkAnswer,
  OwnMarkRef,
} from '../ports/idempotency-store.js';

type Call = keyof IdempotencyStore;

/** What goes wrong with a call: it never arrives, or its answer does not come. */
export type MarkFault = 'not sent' | 'answer lost';

/** Marks whose calls fail as a network makes them fail. */
export class FaultyMarks implements IdempotencyStore {
  /** Consulted before each call. */
  fault: (call: Call) => MarkFault | null = () => null;
  readonly calls: Call[] = [];

  constructor(readonly sound: IdempotencyStore) {}

  look(own: OwnMarkRef): Promise<OwnMarkAnswer> {
    return this.pass('look', () => this.sound.look(own));
  }

  begin(key: string, claim: MarkClaim): Promise<MarkAnswer> {
    return this.pass('begin', () => this.sound.begin(key, claim));
  }

  extend(key: string, claim: MarkClaim): Promise<boolean> {
    return this.pass('extend', () => this.sound.extend(key, claim));
  }

  finish(key: string, owner: MarkOwner, done: DoneMark): Promise<FinishAnswer> {
    return this.pass('finish', () => this.sound.finish(key, owner, done));
  }

  drop(key: string, owner: MarkOwner): Promise<boolean> {
    return this.pass('drop', () => this.sound.drop(key, owner));
  }

  private async pass<Answer>(call: Call, through: () => Promise<Answer>): Promise<Answer> {
    this.calls.push(call);
    const fault = this.fault(call);
    if (fault === 'not sent') throw new StoreUnavailableError('not_sent', 'The network is down.');
    const answer = await through();
    if (fault === 'answer lost') throw new StoreUnavailableError('unknown', 'The network is down.');
    return answer;
  }
}
