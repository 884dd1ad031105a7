import type { Queryable } from '../../db/schema.ts';
import type { EntryRow } from '../../db/schema/ledger.ts';

/** Returns the transfers of a job or session, oldest first. */
export async function listEntries(db: Queryable, subject: string): Promise<EntryRow[]> {
  return db.selectFrom('ledger_entries').selectAll().where('subject', '=', subject).orderBy('id').execute();
}
