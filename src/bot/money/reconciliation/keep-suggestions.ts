import {
  deleteSuggestion,
  listAllSuggestions,
  listUsageOwners,
  putSuggestion,
} from '../../../../db/queries/usage-owners.ts';
import type { Queryable } from '../../../../db/schema.ts';
import type { UsageRecord } from '../../../media-api/account.ts';
import type { ReconcileContext } from './reconcile-context.ts';
import type { Suggestion } from './judge.ts';

const IDS_AT_ONCE = 400;
const SUGGESTIONS_MAX = 2_000;

/** Returns the decisions on these records, by record id: the subject of our call, or null for another user's call. */
export async function loadDecisions(
  db: Queryable,
  recordIds: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  const decided = new Map<string, string | null>();
  for (let first = 0; first < recordIds.length; first += IDS_AT_ONCE) {
    const some = await listUsageOwners(db, recordIds.slice(first, first + IDS_AT_ONCE));
    for (const { record_id: recordId, subject } of some) decided.set(recordId, subject);
  }
  return decided;
}

/**
 * Stores the decisions that the operator must make. They replace earlier suggestions about the same records.
 * Suggestions about holds that are no longer open are deleted.
 */
export async function keepSuggestions(
  suggested: readonly Suggestion[],
  { records, open }: { readonly records: readonly UsageRecord[]; readonly open: readonly string[] },
  { db }: Pick<ReconcileContext, 'db'>,
): Promise<void> {
  const seen = new Set(records.map(({ id }) => id));
  const wanted = new Map(
    suggested
      .slice(0, SUGGESTIONS_MAX)
      .map(({ call, record }) => [`${call.subject}\n${record.id}`, { call, record }]),
  );
  const known = await listAllSuggestions(db.kysely, SUGGESTIONS_MAX);
  if (wanted.size === 0 && known.length === 0) return;
  await db.transaction('account', async (trx) => {
    const owners = await loadDecisions(
      trx,
      [...wanted.values()].map(({ record }) => record.id),
    );
    for (const old of known) {
      const isKept = open.includes(old.subject) && !seen.has(old.record_id);
      if (!isKept && !wanted.has(`${old.subject}\n${old.record_id}`)) await deleteSuggestion(trx, old);
    }
    for (const { call, record } of wanted.values()) {
      if (owners.has(record.id)) continue;
      await putSuggestion(trx, {
        subject: call.subject,
        record_id: record.id,
        charged_micros: record.charged,
        recorded_at_ms: record.createdAtMs,
      });
    }
  });
}
