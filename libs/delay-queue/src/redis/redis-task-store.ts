import type { Observable } from 'rxjs';
import { ConfigurationError, isStoreError, QueueClosedError } from '../core/errors.js';
import { assertName } from '../core/ids.js';
import type { PartitionRef } from '../core/partition.js';
import type { IdempotencyStore } from '../ports/idempotency-store.js';
import type { Durability, Mutation, MutationAnswer } from '../ports/mutation.js';
import type { ListRequest, PartitionStats, TaskRecord } from '../ports/task-record.js';
import type { MutateOptions, TaskStore, TrimLimits, TypeMeta } from '../ports/task-store.js';
import {
  MAX_BYTES_PER_CALL,
  type PeekReply,
  type PeekRequest,
  type TurnOptions,
  type TurnReply,
  type TurnRequest,
} from '../ports/turn.js';
import type { PartitionSignal, Wakeup } from '../ports/wakeup.js';
import { decodeMutationResults, encodeMutations, splitMutations } from './codec/mutate-codec.js';
import { decodePage, decodeRecord, decodeStats, LETTER_OF_STATE } from './codec/record-codec.js';
import { decodePeek, decodeTurn, encodeTurn, markingSettles } from './codec/turn-codec.js';
import { Connections } from './connections.js';
import { DurableWriter } from './durable-writer.js';
import { RedisKeys } from './keys.js';
import type { RedisConnectionOption } from './redis-connection.js';
import { RedisIdempotencyStore } from './redis-idempotency-store.js';
import { DEAF_AFTER_DEADLINES, ScriptRunner } from './script-runner.js';
import { assembleScripts, type RedisScripts } from './scripts/redis-scripts.js';
import { checkServer } from './server-check.js';
import { encodeSignal } from './signals.js';
import { Subscriber } from './subscriber.js';

/** Settings of a {@link RedisTaskStore}. */
export interface RedisTaskStoreOptions {
  readonly connection: RedisConnectionOption;
  /** Begins every key and channel; keeps several queues apart on one server. */
  readonly prefix: string;
  /** Time limit of every call, in milliseconds. */
  readonly callTimeoutMs: number;
  /** How long an arm holds without being renewed, in milliseconds: two missed renewals. @default 5000 */
  readonly armHoldMs?: number;
  /** Hears of every error of a connection; they are told to nobody else, for the connection heals itself. */
  readonly onConnectionError?: (error: Error) => void;
  /** @default those that take the time of the server */
  readonly scripts?: RedisScripts;
}

/** The format of the keys, written with a type's settings: a later format must not be mistaken for this one. */
const FORMAT = 1;

/** Keeps tasks in Redis, in a form that survives this process. */
export class RedisTaskStore implements TaskStore {
  readonly reliableWakeups = false;
  readonly wakeups$: Observable<Wakeup>;
  readonly idempotency: IdempotencyStore;

  private readonly keys: RedisKeys;
  private readonly scripts: RedisScripts;
  private readonly connections: Connections;
  private readonly runner: ScriptRunner;
  private readonly subscriber: Subscriber;
  private readonly durable: DurableWriter;
  private readonly callTimeoutMs: number;
  private readonly armHoldMs: number;

  /** @throws ConfigurationError when the connection or the prefix cannot be used. */
  constructor(options: RedisTaskStoreOptions) {
    const { connection, prefix, callTimeoutMs, armHoldMs = 5_000, onConnectionError = () => undefined } = options;
    assertName(prefix, 'prefix');
    this.keys = new RedisKeys(prefix);
    this.scripts = options.scripts ?? assembleScripts();
    this.callTimeoutMs = callTimeoutMs;
    this.armHoldMs = armHoldMs;
    const maxSilenceMs = callTimeoutMs * DEAF_AFTER_DEADLINES;
    this.connections = new Connections({ connection, maxSilenceMs, onError: onConnectionError });
    this.runner = new ScriptRunner(this.connections, callTimeoutMs);
    this.subscriber = new Subscriber(this.connections, callTimeoutMs);
    this.durable = new DurableWriter(this.connections, callTimeoutMs);
    this.wakeups$ = this.subscriber.wakeups$;
    this.idempotency = new RedisIdempotencyStore(this.keys, this.scripts, this.runner);
  }

  async open(): Promise<readonly string[]> {
    this.assertOpen();
    await this.connections.open(this.callTimeoutMs);
    return checkServer(this.runner, { isCluster: this.connections.isCluster });
  }

  async close(): Promise<void> {
    await Promise.all([this.subscriber.close(), this.durable.close(), this.connections.close()]);
  }

  async register({ type, partitions, dedupeForMs }: TypeMeta): Promise<void> {
    const args = [FORMAT, partitions, dedupeForMs];
    const reply = await this.runner.run({ script: this.scripts.register, keys: [this.keys.meta(type)], args });
    const [format, storedPartitions, storedDedupeForMs] = (reply as (string | null)[]).map(Number);
    assertSame(`types.${type}.format`, format, FORMAT);
    assertSame(`types.${type}.partitions`, storedPartitions, partitions);
    assertSame(`types.${type}.dedupeFor`, storedDedupeForMs, dedupeForMs);
  }

  async init(ref: PartitionRef): Promise<boolean> {
    return Number(await this.run('init', ref)) === 1;
  }

  async listen(refs: readonly PartitionRef[]): Promise<void> {
    this.assertOpen();
    await this.subscriber.listen(new Map(refs.map((ref) => [this.keys.channel(ref), ref])));
  }

  async signal(signal: PartitionSignal): Promise<void> {
    await this.runner.command('PUBLISH', [this.keys.channel(signal.ref), encodeSignal(signal)]);
  }

  async mutate(
    ref: PartitionRef,
    mutations: readonly Mutation[],
    { durability }: MutateOptions = {},
  ): Promise<readonly MutationAnswer[]> {
    this.assertOpen();
    // All calls go out at once, in order, on one connection.
    const parts = splitMutations(mutations).map((part) => this.mutatePart({ ref, part, durability }));
    const answers = await Promise.all(parts);
    return answers.length === 1 && answers[0] !== undefined ? answers[0] : answers.flat();
  }

  async turn(request: TurnRequest, { onLateReply }: TurnOptions = {}): Promise<TurnReply> {
    const { ref } = request;
    const marks = markingSettles(request).map(({ id, mark }) => this.keys.ownMark(ref, { id, life: mark.life }));
    const reply = await this.runner.run({
      script: this.scripts.turn,
      keys: [...this.keys.partition(ref), ...marks],
      args: encodeTurn(request, { channel: this.keys.channel(ref), armHoldMs: this.armHoldMs }),
      ...(onLateReply !== undefined && { onLateReply: (late: unknown) => onLateReply(decodeTurn(late)) }),
    });
    return decodeTurn(reply);
  }

  async peek({ holder, lanes }: PeekRequest): Promise<readonly PeekReply[]> {
    this.assertOpen();
    if (lanes.length === 0) return [];
    // In a cluster the lanes stand on several nodes.
    const calls = this.connections.isCluster ? lanes.map((ref) => [ref]) : [lanes];
    const answers = await Promise.allSettled(calls.map((part) => this.peekPart(holder, part)));
    const failures = answers.filter((answer) => answer.status === 'rejected').map(({ reason }) => reason as Error);
    if (failures.length === answers.length) throw failures[0] ?? new QueueClosedError();
    for (const failure of failures) this.connections.reportError(failure);
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  }

  async get(ref: PartitionRef, id: string): Promise<TaskRecord | null> {
    return decodeRecord(id, await this.run('get', ref, [id]));
  }

  async list(ref: PartitionRef, { state, offset, limit }: ListRequest): Promise<readonly TaskRecord[]> {
    const records: TaskRecord[] = [];
    // A call ends at its limit of bytes: a page of large tasks takes several.
    while (records.length < limit) {
      const args = [LETTER_OF_STATE[state], offset + records.length, limit - records.length, MAX_BYTES_PER_CALL];
      const page = decodePage(state, await this.run('list', ref, args));
      if (page.length === 0) break;
      records.push(...page);
    }
    return records;
  }

  async stats(ref: PartitionRef): Promise<PartitionStats> {
    return decodeStats(await this.run('stats', ref));
  }

  async setPaused(ref: PartitionRef, paused: boolean): Promise<void> {
    await this.run('setPaused', ref, [this.keys.channel(ref), paused ? 1 : 0]);
  }

  async trim(ref: PartitionRef, { deadKeepMs, deadMax }: TrimLimits): Promise<number> {
    return Number(await this.run('trim', ref, [deadKeepMs, deadMax]));
  }

  private async mutatePart({ ref, part, durability }: MutationPart): Promise<MutationAnswer[]> {
    const args = encodeMutations(this.keys.channel(ref), part);
    const call = { script: this.scripts.mutate, keys: this.keys.partition(ref), args };
    try {
      if (durability === undefined) return toAnswers(await this.runner.run(call), part);
      const { reply, replicas } = await this.durable.run(call, durability);
      return toAnswers(reply, part, replicas);
    } catch (error) {
      if (!isStoreError(error)) throw error;
      return part.map(() => ({ ok: false, error }));
    }
  }

  private async peekPart(holder: string, lanes: readonly PartitionRef[]): Promise<PeekReply[]> {
    const keys = lanes.flatMap((ref) => this.keys.partition(ref));
    const args = [holder, this.armHoldMs, ...lanes.map((ref) => this.keys.channel(ref))];
    return decodePeek(await this.runner.run({ script: this.scripts.peek, keys, args }), lanes);
  }

  private async run(
    name: keyof RedisScripts,
    ref: PartitionRef,
    args: readonly (string | number)[] = [],
  ): Promise<unknown> {
    return this.runner.run({ script: this.scripts[name], keys: this.keys.partition(ref), args });
  }

  private assertOpen(): void {
    if (this.connections.isClosed) throw new QueueClosedError();
  }
}

/** The mutations of one call. */
interface MutationPart {
  readonly ref: PartitionRef;
  readonly part: readonly Mutation[];
  readonly durability: Durability | undefined;
}

function toAnswers(reply: unknown, mutations: readonly Mutation[], replicas?: number): MutationAnswer[] {
  const results = decodeMutationResults(reply, mutations);
  if (replicas === undefined) return results.map((result) => ({ ok: true, result }));
  return results.map((result) => ({ ok: true, result: { ...result, replicas } }));
}

function assertSame(field: string, stored: number | undefined, given: number): void {
  if (stored === given) return;
  throw new ConfigurationError(field, `the store has ${stored}, this process was given ${given}`);
}
