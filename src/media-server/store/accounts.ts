import type { MicroUsd } from '../../base/money.ts';
import type { Database } from './database.ts';

/** A prepaid account with the running totals of its entries. */
export interface AccountRow {
  readonly id: string;
  readonly name: string;
  readonly toppedUp: MicroUsd;
  readonly spent: MicroUsd;
  /** The sum of open holds. */
  readonly held: MicroUsd;
}

export function insertAccount(db: Database, account: { id: string; name: string; createdAt: number }): void {
  db.run(
    'INSERT INTO accounts (id, name, createdAt) VALUES (?, ?, ?)',
    account.id,
    account.name,
    account.createdAt,
  );
}

export function findAccount(db: Database, id: string): AccountRow | undefined {
  return db.get('SELECT id, name, toppedUp, spent, held FROM accounts WHERE id = ?', id);
}

/** Returns all accounts, oldest first. */
export function listAccounts(db: Database): AccountRow[] {
  return db.all('SELECT id, name, toppedUp, spent, held FROM accounts ORDER BY createdAt, id');
}
