import type { Database } from '../../../../db/database.ts';
import { findHold } from '../../../../db/queries/holds.ts';
import { recordLateCharge } from '../../../../db/queries/service-calls.ts';
import { recordSessionCharge } from '../../../../db/queries/session-calls.ts';
import {
  endSuggestions,
  findUsageOwner,
  listAllSuggestions,
  listSuggestions,
  listSuggestionsOfRecord,
  putUsageOwner,
} from '../../../../db/queries/usage-owners.ts';
import type { Trx } from '../../../../db/schema.ts';
import type { UsageSuggestionsTable } from '../../../../db/schema/usage-owners.ts';
import type { Clock } from '../../../base/clock.ts';
import { ZERO } from '../../../base/money.ts';
import { ForeignUse } from '../../money/ledger/foreign-use.ts';
import type { Ledger } from '../../money/ledger/ledger.ts';
import type { Assigned } from './operator-decisions.ts';
import type { SuggestedRecord } from './hold-line.ts';

interface UsageRecordsOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly ledger: Pick<Ledger, 'post' | 'void'>;
}

const RECORDS_MAX = 500;

/** The usage records that reconciliation leaves to the operator, and the operator's decisions about them. */
export class UsageRecords {
  readonly #options: UsageRecordsOptions;
  readonly #foreignUse: ForeignUse;

  constructor(options: UsageRecordsOptions) {
    this.#options = options;
    this.#foreignUse = new ForeignUse(options);
  }

  /** Returns the usage records that may belong to these holds, by hold. */
  async of(subjects: readonly string[]): Promise<ReadonlyMap<string, readonly SuggestedRecord[]>> {
    const found = await listSuggestions(this.#options.db.kysely, { subjects, limit: RECORDS_MAX });
    const byHold = Map.groupBy(found, ({ subject }) => subject);
    return new Map([...byHold].map(([subject, some]) => [subject, some.map(toRecord)]));
  }

  /** Returns all usage records that wait for a decision, newest first. */
  async all(): Promise<readonly SuggestedRecord[]> {
    const found = await listAllSuggestions(this.#options.db.kysely, RECORDS_MAX);
    return [...new Map(found.map((one) => [one.record_id, toRecord(one)])).values()];
  }

  /** Returns the holds that a record may belong to. */
  async holdsOf(recordId: string): Promise<readonly string[]> {
    const found = await listSuggestionsOfRecord(this.#options.db.kysely, recordId);
    return found.map(({ subject }) => subject);
  }

  /**
   * Assigns a suggested record to a hold or, if `subject` is null, to other use of the account. Repeating a decision
   * changes nothing; a different decision is refused.
   */
  async assign(recordId: string, subject: string | null, byUserId: string): Promise<Assigned> {
    const { db } = this.#options;
    const hold = subject === null ? undefined : await findHold(db.kysely, subject);
    if (subject !== null && !hold) return { outcome: 'refused', why: 'not_suggested' };
    const scopes = hold ? ([`guild:${hold.guild_id}`, 'account'] as const) : (['account'] as const);
    return db.transaction([...scopes], async (trx) => {
      const owner = await findUsageOwner(trx, recordId);
      if (owner) return this.#repeat(trx, owner.subject, subject);
      const suggested = await listSuggestionsOfRecord(trx, recordId);
      const found = subject === null ? suggested[0] : suggested.find((one) => one.subject === subject);
      if (!found) return { outcome: 'refused', why: 'not_suggested' };
      const isOpen = subject === null || (await this.#mayBeCharged(trx, subject));
      if (!isOpen) return { outcome: 'refused', why: 'not_in_review' };
      await this.#book(trx, found, subject, byUserId);
      return { outcome: 'assigned', charged: found.charged_micros, subject };
    });
  }

  async #repeat(trx: Trx, decided: string | null, subject: string | null): Promise<Assigned> {
    if (decided !== subject) return { outcome: 'refused', why: 'decided' };
    const charged = subject === null ? null : ((await findHold(trx, subject))?.charged_micros ?? null);
    return { outcome: 'assigned', charged, subject };
  }

  /**
   * Returns whether the hold is in review, or was freed without a charge, for example because its call was not found.
   */
  async #mayBeCharged(trx: Trx, subject: string): Promise<boolean> {
    const hold = await findHold(trx, subject);
    return hold?.state === 'review' || (hold?.state === 'voided' && hold.charged_micros === ZERO);
  }

  async #book(
    trx: Trx,
    found: UsageSuggestionsTable,
    subject: string | null,
    byUserId: string,
  ): Promise<void> {
    const { clock, ledger } = this.#options;
    const { record_id: recordId, charged_micros: charged, recorded_at_ms: createdAtMs } = found;
    const nowMs = clock.now();
    await putUsageOwner(trx, { record_id: recordId, subject, decided_by: byUserId, decided_at_ms: nowMs });
    await this.#foreignUse.book(trx, { recordId, createdAtMs, charged: subject === null ? charged : ZERO });
    if (subject === null) return endSuggestions(trx, { recordId });
    if (charged === ZERO) await ledger.void(trx, { subject });
    else await ledger.post(trx, { subject, charged });
    await recordLateCharge(trx, subject, charged);
    await recordSessionCharge(trx, { id: subject, charged, nowMs });
    await endSuggestions(trx, { recordId, subject });
  }
}

function toRecord(row: UsageSuggestionsTable): SuggestedRecord {
  const { record_id: id, charged_micros: charged, recorded_at_ms: recordedAtMs } = row;
  return { id, charged, recordedAtMs };
}
