import { StoreUnavailableError } from '../core/errors.js';
import type { VirtualClock } from '../core/virtual-clock.js';
import { MemoryTaskStore } from '../memory/memory-task-store.js';
import type { Mutation, MutationAnswer } from '../ports/mutation.js';
import type { MutateOptions } from '../ports/task-store.js';
import type { PartitionRef } from '../core/partition.js';
import type { PeekReply, PeekRequest, TurnOptions, TurnReply, TurnRequest } from '../ports/turn.js';

/** What goes wrong with a call: it never arrives, or its answer does not come (in time). */
export type CallFault = 'not sent' | 'answer lost' | 'answer late';

/** How late a late answer is. */
export const LATE_BY_MS = 3_000;

/** A memory store whose calls fail as a network makes them fail, and whose signals can be trusted as little. */
export class FaultyStore extends MemoryTaskStore {
  override readonly reliableWakeups: boolean;
  /** Consulted before each call. */
  fault: (call: 'turn' | 'peek' | 'mutate', request?: TurnRequest) => CallFault | null = () => null;
  readonly turns: TurnRequest[] = [];
  peeks = 0;

  constructor(
    private readonly testClock: VirtualClock,
    { reliableWakeups = true, armHoldMs = Infinity }: { reliableWakeups?: boolean; armHoldMs?: number } = {},
  ) {
    super({ clock: testClock, armHoldMs });
    this.reliableWakeups = reliableWakeups;
  }

  override async turn(request: TurnRequest, options: TurnOptions = {}): Promise<TurnReply> {
    this.turns.push(request);
    const fault = this.fault('turn', request);
    if (fault === 'not sent') throw away('not_sent');
    const reply = await super.turn(request);
    if (fault === null) return reply;
    if (fault === 'answer late') this.testClock.setTimer(() => options.onLateReply?.(reply), LATE_BY_MS);
    throw away('unknown');
  }

  override async peek(request: PeekRequest): Promise<readonly PeekReply[]> {
    this.peeks++;
    if (this.fault('peek') !== null) throw away('not_sent');
    return super.peek(request);
  }

  override async mutate(
    ref: PartitionRef,
    mutations: readonly Mutation[],
    options?: MutateOptions,
  ): Promise<readonly MutationAnswer[]> {
    const fault = this.fault('mutate');
    if (fault === null) return super.mutate(ref, mutations, options);
    if (fault !== 'not sent') await super.mutate(ref, mutations, options);
    const error = away(fault === 'not sent' ? 'not_sent' : 'unknown');
    return mutations.map(() => ({ ok: false, error }));
  }
}

function away(outcome: 'not_sent' | 'unknown'): StoreUnavailableError {
  return new StoreUnavailableError(outcome, 'The network is down.');
}
