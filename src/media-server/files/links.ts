import type { Clock } from '../../base/clock.ts';
import { equalHex, hmacHex } from '../../base/signing.ts';

export type LinkedKind = 'outputs' | 'uploads';

interface LinksOptions {
  readonly key: string;
  readonly clock: Clock;
  /** The public base URL, ending in `/api/v1`, which is only known once the server is listening. */
  readonly baseUrl: () => string;
  /** How long a link works. */
  readonly lifetimeMs: number;
}

/**
 * Creates and checks signed, expiring links to this server's files. Anyone with such a link can fetch the file until it
 * expires.
 */
export class Links {
  readonly #options: LinksOptions;

  constructor(options: LinksOptions) {
    this.#options = options;
  }

  sign(kind: LinkedKind, id: string): string {
    const expires = Math.ceil((this.#options.clock.now() + this.#options.lifetimeMs) / 1000);
    return `${this.#options.baseUrl()}/${kind}/${id}?expires=${expires}&signature=${this.#signature(kind, id, expires)}`;
  }

  /** Returns whether the query comes from a link that `sign` made, and the link is unchanged and has not expired. */
  verify(kind: LinkedKind, id: string, query: { expires?: unknown; signature?: unknown }): boolean {
    const { expires, signature } = query;
    if (typeof expires !== 'string' || typeof signature !== 'string') return false;
    if (!/^\d{1,12}$/.test(expires)) return false;
    if (!equalHex(this.#signature(kind, id, Number(expires)), signature)) return false;
    return this.#options.clock.now() < Number(expires) * 1000;
  }

  #signature(kind: LinkedKind, id: string, expires: number): string {
    return hmacHex(this.#options.key, `${kind}\n${id}\n${expires}`);
  }
}
