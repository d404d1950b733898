import type { LoggerService } from '@nestjs/common';
import type { WorkerRecord } from './worker-record.js';

/** Writes what a worker logs into its record. */
export class RecordLogger implements LoggerService {
  constructor(private readonly record: WorkerRecord) {}

  log(...parts: unknown[]): void {
    this.add('log', parts);
  }

  warn(...parts: unknown[]): void {
    this.add('warn', parts);
  }

  error(...parts: unknown[]): void {
    this.add('error', parts);
  }

  private add(level: 'log' | 'warn' | 'error', parts: readonly unknown[]): void {
    this.record.add({ at: 'log', level, text: parts.map(String).join(' '), atMs: Date.now() });
  }
}
