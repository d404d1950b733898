import { ConfigurationError } from '../core/errors.js';
import { assertName } from '../core/ids.js';
import { DEFAULT_BACKOFF } from '../task/retry-policy.js';
import {
  handlerOptionsSchema,
  type ParsedHandlerOptions,
  type ParsedQueueOptions,
  queueOptionsSchema,
  typesOptionsSchema,
} from './option-schemas.js';
import { parseOptions } from './parse-options.js';
import { PayloadChecks } from './payload-checks.js';
import type { HandlerOptions, QueueOptions, TypesOptions } from './queue-options.js';
import type { ResolvedQueueOptions, ResolvedTypeOptions } from './resolved-options.js';
import { type OptionsPlace, TypeOptionsBook } from './type-options-book.js';

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
  version: 1,
  onUnknownVersion: 'bury',
} as const;

const ROOT: OptionsPlace = { path: 'types', name: 'forRoot' };

/** A queue's settings, validated once; knows the complete settings of every type. */
export class QueueSettings {
  readonly queue: ResolvedQueueOptions;
  private readonly parsed: ParsedQueueOptions;
  private readonly types = new TypeOptionsBook();
  private readonly checks = new PayloadChecks();
  private readonly handlerOptions = new Map<string, ParsedHandlerOptions>();
  private readonly resolved = new Map<string, ResolvedTypeOptions>();

  /** @throws ConfigurationError naming the first option that is not acceptable. */
  constructor(options: QueueOptions = {}) {
    this.parsed = parseOptions(queueOptionsSchema, options, '');
    this.take(this.parsed.types, options.types ?? {}, ROOT);
    this.queue = {
      prefix: this.parsed.prefix,
      shutdownTimeoutMs: this.parsed.shutdownTimeout,
      storeTimeoutMs: this.parsed.storeTimeout,
    };
  }

  /** Task types that are named in the options. */
  get namedTypes(): readonly string[] {
    return this.types.names;
  }

  /**
   * Adds settings of types that stand elsewhere than in the options of the queue.
   *
   * @throws ConfigurationError naming the option, and both places when they contradict each other.
   */
  addTypes(types: TypesOptions, place: OptionsPlace): void {
    this.take(parseOptions(typesOptionsSchema, types, place.path), types, place);
  }

  /**
   * Loads what the schemas of all types need; to be called once they are all there.
   *
   * @throws ConfigurationError naming a schema that cannot be used.
   */
  async loadSchemas(): Promise<void> {
    for (const type of this.types.names) {
      const { schema } = this.types.get(type);
      if (schema !== undefined) await this.checks.load(schema, this.types.pathOf(type, 'schema'));
    }
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

  private take(parsed: ParsedQueueOptions['types'], given: object, place: OptionsPlace): void {
    for (const type of Object.keys(given)) {
      assertName(type, `${place.path}.${type}`);
      const options = Object.hasOwn(parsed, type) ? parsed[type] : undefined;
      if (options === undefined) {
        throw new ConfigurationError(`${place.path}.${type}`, 'is a name that JavaScript keeps for itself');
      }
      this.types.add(type, options, place);
      this.resolved.delete(type);
    }
  }

  private resolve(type: string): ResolvedTypeOptions {
    const own = this.types.get(type);
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
      payloadCheck: own.schema === undefined ? null : this.checks.of(own.schema),
      version: merged.version,
      upcast: own.upcast ?? {},
      onUnknownVersion: merged.onUnknownVersion,
    };
  }
}

type Defined<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

function withoutUndefined<T extends object>(options: T): Defined<T> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Defined<T>;
}
