import { sql } from 'kysely';
import type { Queryable, Trx } from '../schema.ts';
import type { UsageOwnersTable, UsageSuggestionsTable } from '../schema/usage-owners.ts';

/** What is decided about these records; at most some hundred ids. */
export async function listUsageOwners(
  db: Queryable,
  recordIds: readonly string[],
): Promise<UsageOwnersTable[]> {
  if (recordIds.length === 0) return [];
  return db.selectFrom('usage_owners').selectAll().where('record_id', 'in', recordIds).execute();
}

export async function findUsageOwner(db: Queryable, recordId: string): Promise<UsageOwnersTable | undefined> {
  return (await listUsageOwners(db, [recordId]))[0];
}

/** Writes whose call a record is. False, and nothing written, where that is decided already. */
export async function putUsageOwner(trx: Trx, owner: UsageOwnersTable): Promise<boolean> {
  const written = await trx
    .insertInto('usage_owners')
    .values(owner)
    .onConflict((conflict) => conflict.column('record_id').doNothing())
    .returning('record_id')
    .executeTakeFirst();
  return written !== undefined;
}

/** Puts a pseudonym in the place of an operator whose data is removed. */
export async function pseudonymiseUsageOwners(trx: Trx, userId: string, pseudonym: string): Promise<void> {
  await trx
    .updateTable('usage_owners')
    .set({ decided_by: pseudonym })
    .where(sql<boolean>`decided_by is not null`)
    .where('decided_by', '=', userId)
    .execute();
}

/** The suggestions for these holds, at most `limit`, the cheapest record first. */
export async function listSuggestions(
  db: Queryable,
  of: { readonly subjects: readonly string[]; readonly limit: number },
): Promise<UsageSuggestionsTable[]> {
  if (of.subjects.length === 0) return [];
  return db
    .selectFrom('usage_suggestions')
    .selectAll()
    .where('subject', 'in', of.subjects)
    .orderBy('subject')
    .orderBy('charged_micros')
    .orderBy('record_id')
    .limit(of.limit)
    .execute();
}

/** All suggestions, at most `limit`, the newest record first. */
export async function listAllSuggestions(db: Queryable, limit: number): Promise<UsageSuggestionsTable[]> {
  return db
    .selectFrom('usage_suggestions')
    .selectAll()
    .orderBy('recorded_at_ms', 'desc')
    .orderBy('record_id')
    .orderBy('subject')
    .limit(limit)
    .execute();
}

/** The holds that a record is suggested for. */
export async function listSuggestionsOfRecord(
  db: Queryable,
  recordId: string,
): Promise<UsageSuggestionsTable[]> {
  return db.selectFrom('usage_suggestions').selectAll().where('record_id', '=', recordId).execute();
}

/** Writes a suggestion, or what its record says now. */
export async function putSuggestion(trx: Trx, suggestion: UsageSuggestionsTable): Promise<void> {
  const { charged_micros, recorded_at_ms } = suggestion;
  await trx
    .insertInto('usage_suggestions')
    .values(suggestion)
    .onConflict((conflict) =>
      conflict.columns(['subject', 'record_id']).doUpdateSet({ charged_micros, recorded_at_ms }),
    )
    .execute();
}

export async function deleteSuggestion(
  trx: Trx,
  { subject, record_id }: Pick<UsageSuggestionsTable, 'subject' | 'record_id'>,
): Promise<void> {
  await trx
    .deleteFrom('usage_suggestions')
    .where('subject', '=', subject)
    .where('record_id', '=', record_id)
    .execute();
}

/** Nobody has to decide about this record, or (with a subject) about this hold, any more. */
export async function endSuggestions(
  trx: Trx,
  ended: { readonly recordId: string; readonly subject?: string },
): Promise<void> {
  await trx.deleteFrom('usage_suggestions').where('record_id', '=', ended.recordId).execute();
  if (ended.subject === undefined) return;
  await trx.deleteFrom('usage_suggestions').where('subject', '=', ended.subject).execute();
}
