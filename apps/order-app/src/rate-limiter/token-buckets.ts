import { Injectable } from '@nestjs/common';

/**
 * Which tokens are taken, by what they limit.
 *
 * They are kept in this process. Several processes that limit the same thing share a table instead, with the same two
 * steps: insert a token if fewer than the limit are there, delete a token.
 */
@Injectable()
export class TokenBuckets {
  private readonly taken = new Map<string, Set<string>>();

  /** Takes a token if one is left. */
  take(key: string, tokenId: string, limit: number): boolean {
    const tokens = this.taken.get(key) ?? new Set();
    if (tokens.size >= limit) return false;
    this.taken.set(key, tokens.add(tokenId));
    return true;
  }

  /** Puts a token back; doing so again changes nothing. */
  putBack(key: string, tokenId: string): void {
    const tokens = this.taken.get(key);
    tokens?.delete(tokenId);
    if (tokens?.size === 0) this.taken.delete(key);
  }
}
