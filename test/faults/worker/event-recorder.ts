import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { DelayQueueEvents, type QueueEvent } from 'nestjs-delay-queue';
import { WorkerRecord } from './worker-record.js';

/** Events that come with every task: the entries of the handler say as much. */
const EVERYDAY_EVENTS: readonly QueueEvent['kind'][] = ['mutated', 'started', 'completed'];

/** Writes the events of the queue into the worker's record, from the boot on. */
@Injectable()
export class EventRecorder implements OnModuleInit {
  constructor(
    @Inject(DelayQueueEvents) private readonly events: DelayQueueEvents,
    @Inject(WorkerRecord) private readonly record: WorkerRecord,
  ) {}

  onModuleInit(): void {
    this.events.events$.subscribe((event) => this.add(event));
  }

  private add(event: QueueEvent): void {
    if (EVERYDAY_EVENTS.includes(event.kind)) return;
    const id = 'id' in event ? event.id : null;
    this.record.add({ at: 'event', kind: event.kind, id, detail: detailOf(event), atMs: Date.now() });
  }
}

function detailOf(event: QueueEvent): string {
  if ('reason' in event) return event.reason;
  if ('how' in event) return event.how;
  return 'error' in event ? String(event.error) : '';
}
