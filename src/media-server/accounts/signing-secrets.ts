import type { Clock } from '../../base/clock.ts';
import { randomId } from '../../base/ids.ts';
import type { Database } from '../store/database.ts';
import { activeSigningSecrets, replaceSigningSecret } from '../store/signing-secrets.ts';
import type { Vault } from './vault.ts';

/**
 * The accounts' webhook signing secrets. An account's secret is created when it is first read, and rotating it does not
 * affect API keys.
 */
export class SigningSecrets {
  readonly #db: Database;
  readonly #vault: Vault;
  readonly #clock: Clock;

  constructor(db: Database, vault: Vault, clock: Clock) {
    this.#db = db;
    this.#vault = vault;
    this.#clock = clock;
  }

  current(accountId: string): string {
    return this.active(accountId)[0];
  }

  /** Returns the current secret, then each older one that is still valid after a rotation. */
  active(accountId: string): [string, ...string[]] {
    return this.#db.transact(() => {
      const rows = activeSigningSecrets(this.#db, accountId, this.#clock.now());
      const [first, ...others] = rows;
      if (first?.retiresAt !== null) return [this.rotate(accountId)];
      return [this.#vault.open(first.sealed), ...others.map((row) => this.#vault.open(row.sealed))];
    });
  }

  /** Makes `secret`, or a new random secret, current. The old one continues to sign for `overlapMs` (default 0). */
  rotate(
    accountId: string,
    options: { secret?: string | undefined; overlapMs?: number | undefined } = {},
  ): string {
    const secret = options.secret ?? randomId('whsec');
    const now = this.#clock.now();
    replaceSigningSecret(this.#db, {
      accountId,
      sealed: this.#vault.seal(secret),
      now,
      overlapEndsAt: now + (options.overlapMs ?? 0),
    });
    return secret;
  }
}
