import type {
  DoneMark,
  FinishAnswer,
  IdempotencyStore,
  MarkAnswer,
  MarkClaim,
  MarkOwner,
  OwnMarkAnswer,
  OwnMarkRef,
} from '../ports/idempotency-store.js';
import { decodeFinish, decodeMark, decodeOwnMark } from './codec/mark-codec.js';
import type { RedisKeys } from './keys.js';
import type { ScriptRunner } from './script-runner.js';
import type { RedisScripts } from './scripts/redis-scripts.js';

/** Keeps marks in Redis, one string a mark, which the server removes when its time is over. */
export class RedisIdempotencyStore implements IdempotencyStore {
  constructor(
    private readonly keys: RedisKeys,
    private readonly scripts: RedisScripts,
    private readonly runner: ScriptRunner,
  ) {}

  async look(own: OwnMarkRef): Promise<OwnMarkAnswer> {
    const keys = [...this.keys.partition(own.ref), this.keys.ownMark(own.ref, own)];
    const args = [own.id, `${own.fence}|`];
    return decodeOwnMark(await this.runner.run({ script: this.scripts.markLook, keys, args }));
  }

  async begin(key: string, { owner, fence, holdMs }: MarkClaim): Promise<MarkAnswer> {
    return decodeMark(await this.run('markBegin', key, [owner, fence, holdMs]));
  }

  async extend(key: string, { owner, fence, holdMs }: MarkClaim): Promise<boolean> {
    return Number(await this.run('markExtend', key, [owner, fence, holdMs])) === 1;
  }

  async finish(key: string, { owner, fence }: MarkOwner, { keepMs, result }: DoneMark): Promise<FinishAnswer> {
    return decodeFinish(await this.run('markFinish', key, [owner, fence, keepMs, result ?? '']));
  }

  async drop(key: string, { owner, fence }: MarkOwner): Promise<boolean> {
    return Number(await this.run('markDrop', key, [owner, fence])) === 1;
  }

  private async run(name: keyof RedisScripts, key: string, args: readonly (string | number)[]): Promise<unknown> {
    return this.runner.run({ script: this.scripts[name], keys: [this.keys.sharedMark(key)], args });
  }
}
