import { derivedId, randomKey } from '../../../base/ids.ts';
import type { SwapSession } from './session/swap-session.ts';

/**
 * The secrets that give access to sessions: the keys in links, which can be used once, and the passes that pages
 * receive in exchange. Only hashes are stored, so that the duration of a lookup reveals nothing about other secrets.
 */
export class SessionKeys {
  readonly #links = new Map<string, SwapSession>();
  readonly #passes = new Map<string, SwapSession>();

  /** Returns a new key for a link. */
  issue(session: SwapSession): string {
    const key = randomKey();
    this.#links.set(hashOf(key), session);
    return key;
  }

  /**
   * Exchanges a link's key for a pass; the key cannot be used again. Returns `undefined` if the key belongs to no link.
   */
  redeem(key: string): { readonly session: SwapSession; readonly pass: string } | undefined {
    const session = this.#links.get(hashOf(key));
    if (!session) return undefined;
    this.#links.delete(hashOf(key));
    const pass = randomKey();
    this.#passes.set(hashOf(pass), session);
    return { session, pass };
  }

  ofPass(pass: string): SwapSession | undefined {
    return this.#passes.get(hashOf(pass));
  }

  /** Removes all keys and passes of a session. */
  forget(session: SwapSession): void {
    for (const keys of [this.#links, this.#passes]) {
      for (const [hash, owner] of keys) if (owner === session) keys.delete(hash);
    }
  }
}

function hashOf(key: string): string {
  return derivedId('key', key);
}
