import { context, propagation, type Span, type SpanContext, trace } from '@opentelemetry/api';
import {
  InMemorySpanExporter,
  type ReadableSpan,
  type Sampler,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { waitFor } from '../../support/wait-for.js';

/** An OpenTelemetry SDK as applications set it up, whose spans stay in memory. */
export class SpanRecorder {
  private readonly exporter = new InMemorySpanExporter();
  private readonly provider: NodeTracerProvider;

  constructor({ sampler }: { readonly sampler?: Sampler } = {}) {
    this.provider = new NodeTracerProvider({
      spanProcessors: [new SimpleSpanProcessor(this.exporter)],
      ...(sampler !== undefined && { sampler }),
    });
    this.provider.register();
  }

  /** Spans that have ended, in the order in which they did. */
  get spans(): readonly ReadableSpan[] {
    return this.exporter.getFinishedSpans();
  }

  /** Waits until so many spans of a name have ended. */
  async named(name: string, count = 1): Promise<readonly ReadableSpan[]> {
    const found = (): readonly ReadableSpan[] => this.spans.filter((span) => span.name === name);
    await waitFor(() => found().length >= count, { what: `${count} spans '${name}'` });
    return found();
  }

  /** Waits for the first span of a name to have ended. */
  async first(name: string): Promise<ReadableSpan> {
    const [span] = await this.named(name);
    if (span === undefined) throw new Error(`there is no span '${name}'`);
    return span;
  }

  /** Does something in a span of the application. */
  async inSpan<Result>(name: string, work: (span: Span) => Promise<Result>): Promise<Result> {
    return this.provider.getTracer('application').startActiveSpan(name, async (span) => {
      try {
        return await work(span);
      } finally {
        span.end();
      }
    });
  }

  /** A span of the application that has begun and ended here. */
  mark(name: string): void {
    this.provider.getTracer('application').startSpan(name).end();
  }

  /** Takes the SDK out again. */
  async close(): Promise<void> {
    trace.disable();
    context.disable();
    propagation.disable();
    await this.provider.shutdown();
  }
}

/** What tells a span from all others. */
export function identity({ traceId, spanId }: SpanContext): Pick<SpanContext, 'traceId' | 'spanId'> {
  return { traceId, spanId };
}

/** The spans that a span links to. */
export function linked(span: ReadableSpan): readonly Pick<SpanContext, 'traceId' | 'spanId'>[] {
  return span.links.map((link) => identity(link.context));
}
