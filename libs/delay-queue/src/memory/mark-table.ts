import type { MarkOwner } from '../ports/idempotency-store.js';
import { TimingWheel } from './timing-wheel.js';

/** What is known of work under a key: somebody is at it until a time, or it was done and is remembered until a time. */
export type Mark =
  | ({ readonly kind: 'in progress'; readonly endMs: number } & MarkOwner)
  | { readonly kind: 'done'; readonly endMs: number; readonly result: string | null };

/** Most marks that one call removes, so that it is short however many have piled up. */
const TRIMMED_PER_CALL = 100;

/** Marks by name, each with an end after which it counts as absent. */
export class MarkTable {
  private readonly marks = new Map<string, Mark>();
  private readonly ends = new TimingWheel();

  /** Marks that take up memory, those that are over included. */
  get size(): number {
    return this.marks.size;
  }

  get(name: string, nowMs: number): Mark | null {
    const mark = this.marks.get(name);
    return mark !== undefined && mark.endMs > nowMs ? mark : null;
  }

  /** Writes a mark, and removes some of those that are over: nobody else comes to look for them. */
  set(name: string, mark: Mark, nowMs: number): void {
    this.marks.set(name, mark);
    this.ends.set(name, mark.endMs);
    for (const { id } of this.ends.first({ limit: TRIMMED_PER_CALL, untilMs: nowMs })) this.delete(id);
  }

  delete(name: string): void {
    this.marks.delete(name);
    this.ends.delete(name);
  }
}

/** Names the own mark of one life of a task, within its partition. */
export function ownMarkName(id: string, life: string): string {
  return `${life}:${id}`;
}
