import { z } from 'zod';
import { MAX_TIMER_MS } from '../core/clock.js';
import { isName } from '../core/ids.js';
import { DEFAULT_BACKOFF } from '../task/retry-policy.js';
import type { UpcastStep } from '../task/upcast-payload.js';
import { durationMs } from './duration-schema.js';
import { isPayloadSchema, type PayloadSchema } from './payload-schema.js';

/** Shortest lease: below it, a busy event loop loses leases that it still works under. */
const MIN_LEASE_MS = 100;

/** Longest lease: a crashed process would hold its tasks that long. */
const MAX_LEASE_MS = 24 * 3_600_000;

/** A stop needs a second of grace after the abort, and some time to give the unfinished tasks back. */
const MIN_SHUTDOWN_MS = 2_000;

/** A payload must fit into one store call beside its id. */
const MAX_PAYLOAD_BYTES = 1_000_000;

const jitter = z.number().min(0).max(1).default(DEFAULT_BACKOFF.jitter);
const maxBackoffMs = durationMs().prefault(DEFAULT_BACKOFF.maxMs);

const backoff = z.discriminatedUnion('type', [
  z
    .strictObject({
      type: z.literal('exponential'),
      base: durationMs({ minMs: 1 }).prefault(DEFAULT_BACKOFF.baseMs),
      max: maxBackoffMs,
      jitter,
    })
    // The built-in longest wait would cut a long base silently.
    .refine(({ base, max }) => base <= max, { path: ['max'], message: 'must be at least `base`' })
    .transform(({ base, max, ...rest }) => ({ ...rest, baseMs: base, maxMs: max })),
  z
    .strictObject({ type: z.literal('fixed'), delay: durationMs(), jitter })
    .transform(({ delay, ...rest }) => ({ ...rest, delayMs: delay })),
  z
    .strictObject({
      type: z.literal('custom'),
      delay: z.custom<(failures: number, error: unknown) => number>((value) => typeof value === 'function', {
        message: 'must be a function',
      }),
      max: maxBackoffMs,
    })
    .transform(({ max, ...rest }) => ({ ...rest, maxMs: max })),
]);

const handlerShape = {
  concurrency: z.int().min(1).max(1_000),
  handlerTimeout: durationMs({ minMs: 1, maxMs: MAX_TIMER_MS }).nullable(),
  maxRetries: z.int().min(0),
  backoff,
  lease: durationMs({ minMs: MIN_LEASE_MS, maxMs: MAX_LEASE_MS }),
  maxLostLeases: z.int().min(1),
  stuckAfter: durationMs({ minMs: 1 }),
  onUnknownVersion: z.enum(['bury', 'wait']),
};

const upcastStep = z.custom<UpcastStep>((value) => typeof value === 'function', { message: 'must be a function' });

const sharedShape = {
  partitions: z.int().min(1).max(256),
  dedupeFor: durationMs(),
  payloadLimit: z.int().min(1).max(MAX_PAYLOAD_BYTES),
  deadLetters: z.strictObject({ keepFor: durationMs().optional(), max: z.int().min(0).optional() }),
  schema: z.custom<PayloadSchema>(isPayloadSchema, {
    message: "must be a Standard Schema (zod, valibot, arktype …) or a class with class-validator's decorators",
  }),
  version: z.int().min(1),
  upcast: z.record(z.string(), upcastStep),
};

/** Handler settings as a user writes them; durations become milliseconds. */
export const handlerOptionsSchema = z.strictObject(handlerShape).partial();

/** All settings of a type as a user writes them. */
export const typeOptionsSchema = z
  .strictObject({ ...handlerShape, ...sharedShape })
  .partial()
  .superRefine(({ version = 1, upcast = {} }, context) => {
    for (const from of Object.keys(upcast)) {
      if (/^[1-9]\d*$/.test(from) && Number(from) < version) continue;
      const message = `is no step to the current version ${version}: steps are named by the version they start from`;
      context.addIssue({ code: 'custom', path: ['upcast', from], message });
    }
  });

/** Settings by type as a user writes them. */
export const typesOptionsSchema = z.record(z.string(), typeOptionsSchema);

/** Settings of a queue as a user writes them. */
export const queueOptionsSchema = z.strictObject({
  prefix: z
    .custom<string>(isName, { message: 'must be 1 to 100 characters out of A-Z a-z 0-9 _ . -' })
    .default('delay-queue'),
  types: typesOptionsSchema.default({}),
  defaults: handlerOptionsSchema.default({}),
  shutdownTimeout: durationMs({ minMs: MIN_SHUTDOWN_MS, maxMs: MAX_TIMER_MS }).prefault(25_000),
  storeTimeout: durationMs({ minMs: 10, maxMs: MAX_TIMER_MS }).prefault(5_000),
});

/** How long work is remembered as done when nothing else is said. */
export const DEFAULT_MARK_TTL_MS = 24 * 3_600_000;

/** What `@Idempotent` says, as a user writes it. */
export const idempotentOptionsSchema = z.strictObject({
  key: z
    .custom<(payload: never, task: never) => unknown>((value) => typeof value === 'function', {
      message: 'must be a function of payload and task that returns a text; a text would be the same key for all tasks',
    })
    .optional(),
  ttl: durationMs({ minMs: 1 }).prefault(DEFAULT_MARK_TTL_MS),
  keepResult: z.boolean().default(false),
});

export type ParsedHandlerOptions = z.output<typeof handlerOptionsSchema>;
export type ParsedTypeOptions = z.output<typeof typeOptionsSchema>;
export type ParsedQueueOptions = z.output<typeof queueOptionsSchema>;
