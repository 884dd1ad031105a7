import { type MicroUsd, ZERO } from '../../base/money.ts';
import type { Database } from './database.ts';

export type EntryKind = 'top_up' | 'hold' | 'release' | 'charge';

interface Entry {
  readonly accountId: string;
  readonly kind: EntryKind;
  /** The job, session or top-up that the entry belongs to. Each subject has at most one entry of each kind. */
  readonly subject: string;
  readonly amount: MicroUsd;
  readonly createdAt: number;
}

const TOTAL_CHANGE: Readonly<Record<EntryKind, string>> = {
  top_up: 'UPDATE accounts SET toppedUp = toppedUp + ? WHERE id = ?',
  hold: 'UPDATE accounts SET held = held + ? WHERE id = ?',
  release: 'UPDATE accounts SET held = held - ? WHERE id = ?',
  charge: 'UPDATE accounts SET spent = spent + ? WHERE id = ?',
};

/**
 * Appends an entry and updates the account's running total. Throws if the subject already has an entry of
 * this kind.
 */
export function postEntry(db: Database, entry: Entry): void {
  db.transact(() => {
    db.run(
      'INSERT INTO entries (accountId, kind, subject, amount, createdAt) VALUES (?, ?, ?, ?, ?)',
      entry.accountId,
      entry.kind,
      entry.subject,
      entry.amount,
      entry.createdAt,
    );
    db.run(TOTAL_CHANGE[entry.kind], entry.amount, entry.accountId);
  });
}

/** Finds the subject's entry of this kind. */
export function findEntry(db: Database, subject: string, kind: EntryKind): Entry | undefined {
  return db.get(
    'SELECT accountId, kind, subject, amount, createdAt FROM entries WHERE subject = ? AND kind = ?',
    subject,
    kind,
  );
}

/** Returns the sum of all charges to the account since `since` (epoch milliseconds, inclusive). */
export function chargedSince(db: Database, accountId: string, since: number): MicroUsd {
  const row = db.get<{ total: MicroUsd | null }>(
    "SELECT sum(amount) AS total FROM entries WHERE accountId = ? AND kind = 'charge' AND createdAt >= ?",
    accountId,
    since,
  );
  return row?.total ?? ZERO;
}
