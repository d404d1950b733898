import type { QueueEvent } from 'nestjs-delay-queue';
import { orderTimeoutId } from '../orders/order-timeout-task.js';
import type { Delivery } from './demo-report.js';

/** Prints what happens to the demo's orders, with times since the start, and keeps the runs of their timeouts. */
export class Timeline {
  private readonly startedAtMs = Date.now();
  private readonly labels = new Map<string, string>();
  private readonly deliveries = new Map<string, Delivery[]>();

  constructor(private readonly print: (line: string) => void) {}

  /** Follows an order from now on. */
  follow(orderId: string, label: string): void {
    this.labels.set(orderTimeoutId(orderId), label);
    this.deliveries.set(orderTimeoutId(orderId), []);
  }

  /** The runs of an order's timeout so far. */
  deliveriesOf(orderId: string): readonly Delivery[] {
    return this.deliveries.get(orderTimeoutId(orderId)) ?? [];
  }

  /** A timeout is running now. */
  get busy(): boolean {
    return [...this.deliveries.values()].flat().some(({ outcome }) => outcome === null);
  }

  /** Prints a line about an order. */
  tell(label: string, what: string): void {
    this.print(`  ${this.offset(Date.now()).padStart(9)}  ${label.padEnd(20)}  ${what}`);
  }

  /** A point in time as seconds since the start. */
  offset(timeMs: number): string {
    return `+${((timeMs - this.startedAtMs) / 1_000).toFixed(3)} s`;
  }

  /** Takes an event of the delay queue. */
  see(event: QueueEvent): void {
    if (!('id' in event)) return;
    const label = this.labels.get(event.id);
    if (label === undefined) return;
    this.tell(label, this.describe(event));
    const outcome = outcomeOf(event.kind);
    const delivery = this.deliveries.get(event.id)?.at(-1);
    if (outcome !== null && delivery !== undefined) delivery.outcome = outcome;
  }

  private describe(event: OrderEvent): string {
    switch (event.kind) {
      case 'started': {
        const { id, dueAtMs, latenessMs, deliveries } = event;
        this.deliveries.get(id)?.push({ dueAtMs, latenessMs, outcome: null });
        const times = `due ${this.offset(dueAtMs)}, started ${this.offset(dueAtMs + latenessMs)}`;
        return `timeout runs, delivery ${deliveries}: ${times}, ${latenessMs.toFixed(1)} ms late`;
      }
      case 'completed':
        return `timeout done after ${event.durationMs.toFixed(1)} ms`;
      case 'retried':
        return `timeout failed (${messageOf(event.error)}), next try in ${Math.round(event.delayMs)} ms`;
      case 'mutated':
        return `${event.mutation} of its timeout answers '${event.status}'`;
      case 'buried':
        return `timeout buried: ${event.reason}`;
      case 'skipped':
      case 'snoozed':
      case 'version unknown':
      case 'released':
      case 'lease lost':
      case 'settle unknown':
      case 'mark lost':
      case 'stuck':
      case 'orphan removed':
      case 'ended before':
      case 'restored':
      case 'superseded':
        return `timeout: ${event.kind}`;
      default:
        return event satisfies never;
    }
  }
}

/** The events that are about one task. */
type OrderEvent = Extract<QueueEvent, { readonly id: string }>;

/** How an event ends the run of a timeout, or null when it does not. */
function outcomeOf(kind: OrderEvent['kind']): Delivery['outcome'] {
  switch (kind) {
    case 'completed':
    case 'skipped':
      return 'done';
    case 'retried':
    case 'buried':
    case 'snoozed':
    case 'released':
    case 'lease lost':
    case 'settle unknown':
      return 'failed';
    case 'started':
    case 'mutated':
    case 'mark lost':
    case 'version unknown':
    case 'stuck':
    case 'orphan removed':
    case 'ended before':
    case 'restored':
    case 'superseded':
      return null;
    default:
      return kind satisfies never;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
