import type { Database } from './database.ts';

/** An encrypted webhook signing secret (see `vault.ts`). `retiresAt` is null for the current one. */
interface SigningSecretRow {
  readonly sealed: Uint8Array;
  readonly retiresAt: number | null;
}

/**
 * Returns the secrets to sign with at `now`: the current one first, then those that still overlap with it.
 */
export function activeSigningSecrets(db: Database, accountId: string, now: number): SigningSecretRow[] {
  return db.all(
    `SELECT sealed, retiresAt FROM signingSecrets
      WHERE accountId = ? AND (retiresAt IS NULL OR retiresAt > ?)
      ORDER BY retiresAt IS NULL DESC, id DESC LIMIT 4`,
    accountId,
    now,
  );
}

/** Makes `sealed` the account's current secret. The previous one is also used for signing until `overlapEndsAt`. */
export function replaceSigningSecret(
  db: Database,
  secret: { accountId: string; sealed: Uint8Array; now: number; overlapEndsAt: number },
): void {
  db.transact(() => {
    db.run(
      'UPDATE signingSecrets SET retiresAt = ? WHERE accountId = ? AND retiresAt IS NULL',
      secret.overlapEndsAt,
      secret.accountId,
    );
    db.run(
      'INSERT INTO signingSecrets (accountId, sealed, createdAt) VALUES (?, ?, ?)',
      secret.accountId,
      secret.sealed,
      secret.now,
    );
  });
}

/** Deletes secrets whose overlap has ended by `now`. */
export function deleteRetiredSigningSecrets(db: Database, now: number): void {
  db.run('DELETE FROM signingSecrets WHERE retiresAt <= ?', now);
}
