import type { LoggerService } from '@nestjs/common';

/** Collects what an application logs, one text per line. */
export class CapturedLog implements LoggerService {
  readonly lines: string[] = [];

  log(message: unknown): void {
    this.add('log', message);
  }

  warn(message: unknown): void {
    this.add('warn', message);
  }

  error(message: unknown, ...details: unknown[]): void {
    this.add('error', [message, ...details].map(String).join(' '));
  }

  /** The lines of one level that contain a text. */
  matching(level: 'log' | 'warn' | 'error', text: string): readonly string[] {
    return this.lines.filter((line) => line.startsWith(`${level}: `) && line.includes(text));
  }

  private add(level: string, message: unknown): void {
    this.lines.push(`${level}: ${String(message)}`);
  }
}
