import { derivedId, randomKey } from '../../../base/ids.ts';
import type { SwapSession } from './session/swap-session.ts';

/**
 * The secrets that lead to sessions: of links, which are good once, and the passes that pages get for them. Only hashes
 * are kept, so that looking one up tells nothing about the others.
 */
export class SessionKeys {
  readonly #links = new Map<string, SwapSession>();
  readonly #passes = new Map<string, SwapSession>();

  /** The key of a link. */
  issue(session: SwapSession): string {
    const key = randomKey();
    this.#links.set(hashOf(key), session);
    return key;
  }

  /** Uses up the key of a link; undefined: there is no such link. */
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

  /** Whatever leads to the session does so no more. */
  forget(session: SwapSession): void {
    for (const keys of [this.#links, this.#passes]) {
      for (const [hash, owner] of keys) if (owner === session) keys.delete(hash);
    }
  }
}

function hashOf(key: string): string {
  return derivedId('key', key);
}
