import type { Database } from './database.ts';

/** A webhook signing secret, sealed (see `vault.ts`). `retiresAt` null: the current one. */
interface SigningSecretRow {
  readonly sealed: Uint8Array;
  readonly retiresAt: number | null;
}

/** The secrets to sign with at `now`: the current one first, then those still in their overlap. */
export function activeSigningSecrets(db: Database, accountId: string, now: number): SigningSecretRow[] {
  return db.all(
    `SELECT sealed, retiresAt FROM signingSecrets
      WHERE accountId = ? AND (retiresAt IS NULL OR retiresAt > ?)
      ORDER BY retiresAt IS NULL DESC, id DESC LIMIT 4`,
    accountId,
    now,
  );
}

/** Makes `sealed` the account's current secret; the one before it keeps signing until `overlapEndsAt`. */
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

/** Forgets secrets whose overlap ended before `now`. */
export function deleteRetiredSigningSecrets(db: Database, now: number): void {
  db.run('DELETE FROM signingSecrets WHERE retiresAt <= ?', now);
}
