import { sql } from 'kysely';
import type { Queryable, Trx } from '../schema.ts';
import type { UsageOwnersTable, UsageSuggestionsTable } from '../schema/usage-owners.ts';

/** Returns the owners that were decided for these records. Pass at most a few hundred ids. */
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

/** Stores the owner of a record. If the owner is already decided, it stores nothing and returns false. */
export async function putUsageOwner(trx: Trx, owner: UsageOwnersTable): Promise<boolean> {
  const written = await trx
    .insertInto('usage_owners')
    .values(owner)
    .onConflict((conflict) => conflict.column('record_id').doNothing())
    .returning('record_id')
    .executeTakeFirst();
  return written !== undefined;
}

/** Replaces an operator with a pseudonym, because the operator's data is being removed. */
export async function pseudonymiseUsageOwners(trx: Trx, userId: string, pseudonym: string): Promise<void> {
  await trx
    .updateTable('usage_owners')
    .set({ decided_by: pseudonym })
    .where(sql<boolean>`decided_by is not null`)
    .where('decided_by', '=', userId)
    .execute();
}

/** Returns the suggestions for these holds, at most `limit`, cheapest record first. */
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

/** Returns all suggestions, at most `limit`, newest record first. */
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

/** Returns the holds for which a record is suggested. */
export async function listSuggestionsOfRecord(
  db: Queryable,
  recordId: string,
): Promise<UsageSuggestionsTable[]> {
  return db.selectFrom('usage_suggestions').selectAll().where('record_id', '=', recordId).execute();
}

/** Stores a suggestion, or updates the data of its record. */
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

/**
 * Deletes the suggestions for a record and, if a subject is given, those for that hold, because they need no decision
 * any longer.
 */
export async function endSuggestions(
  trx: Trx,
  ended: { readonly recordId: string; readonly subject?: string },
): Promise<void> {
  await trx.deleteFrom('usage_suggestions').where('record_id', '=', ended.recordId).execute();
  if (ended.subject === undefined) return;
  await trx.deleteFrom('usage_suggestions').where('subject', '=', ended.subject).execute();
}
