import { ConfigurationError } from '../core/errors.js';
import { assertName } from '../core/ids.js';
import { DEFAULT_BACKOFF } from '../task/retry-policy.js';
import {
  handlerOptionsSchema,
  type ParsedHandlerOptions,
  type ParsedQueueOptions,
  type ParsedTypeOptions,
  queueOptionsSchema,
} from './option-schemas.js';
import { parseOptions } from './parse-options.js';
import type { HandlerOptions, QueueOptions } from './queue-options.js';
import type { ResolvedQueueOptions, ResolvedTypeOptions } from './resolved-options.js';

const DEFAULTS = {
  concurrency: 10,
  handlerTimeout: null,
  maxRetries: 3,
  backoff: DEFAULT_BACKOFF,
  lease: 30_000,
  maxLostLeases: 5,
  stuckAfter: 600_000,
  partitions: 1,
  dedupeFor: 0,
  payloadLimit: 256 * 1024,
  deadKeepFor: 14 * 86_400_000,
  deadMax: 10_000,
} as const;

/** A queue's settings, validated once; knows the complete settings of every type. */
export class QueueSettings {
  readonly queue: ResolvedQueueOptions;
  private readonly parsed: ParsedQueueOptions;
  private readonly handlerOptions = new Map<string, ParsedHandlerOptions>();
  private readonly resolved = new Map<string, ResolvedTypeOptions>();

  /** @throws ConfigurationError naming the first option that is not acceptable. */
  constructor(options: QueueOptions = {}) {
    this.parsed = parseOptions(queueOptionsSchema, options, '');
    for (const type of Object.keys(options.types ?? {})) this.assertTypeName(type);
    this.queue = {
      prefix: this.parsed.prefix,
      shutdownTimeoutMs: this.parsed.shutdownTimeout,
      storeTimeoutMs: this.parsed.storeTimeout,
    };
  }

  /** Task types that are named in the options. */
  get namedTypes(): readonly string[] {
    return Object.keys(this.parsed.types);
  }

  /**
   * Takes the options that stand in a handler's decorator.
   *
   * @param where names the handler, for the error.
   * @throws ConfigurationError
   */
  addHandler(type: string, options: HandlerOptions, where: string): void {
    assertName(type, `${where}: task type`);
    this.handlerOptions.set(type, parseOptions(handlerOptionsSchema, options, where));
    this.resolved.delete(type);
  }

  /** The complete settings of a type: its own in `types`, else its decorator's, else `defaults`, else built in. */
  forType(type: string): ResolvedTypeOptions {
    let settings = this.resolved.get(type);
    if (settings === undefined) {
      settings = this.resolve(type);
      this.resolved.set(type, settings);
    }
    return settings;
  }

  private assertTypeName(type: string): void {
    assertName(type, `types.${type}`);
    if (!Object.hasOwn(this.parsed.types, type)) {
      throw new ConfigurationError(`types.${type}`, 'is a name that JavaScript keeps for itself');
    }
  }

  private resolve(type: string): ResolvedTypeOptions {
    const own: ParsedTypeOptions = Object.hasOwn(this.parsed.types, type) ? (this.parsed.types[type] ?? {}) : {};
    const merged = {
      ...DEFAULTS,
      ...withoutUndefined(this.parsed.defaults),
      ...withoutUndefined(this.handlerOptions.get(type) ?? {}),
      ...withoutUndefined(own),
    };
    return {
      type,
      partitions: merged.partitions,
      dedupeForMs: merged.dedupeFor,
      payloadLimitBytes: merged.payloadLimit,
      deadKeepMs: own.deadLetters?.keepFor ?? DEFAULTS.deadKeepFor,
      deadMaxPerPartition: Math.ceil((own.deadLetters?.max ?? DEFAULTS.deadMax) / merged.partitions),
      concurrency: merged.concurrency,
      handlerTimeoutMs: merged.handlerTimeout,
      maxRetries: merged.maxRetries,
      backoff: merged.backoff,
      leaseMs: merged.lease,
      maxLostLeases: merged.maxLostLeases,
      stuckAfterMs: merged.stuckAfter,
    };
  }
}

type Defined<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

function withoutUndefined<T extends object>(options: T): Defined<T> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Defined<T>;
}
