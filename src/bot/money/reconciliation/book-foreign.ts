import { listForeign } from '../../../../db/queries/foreign-use.ts';
import { listUsageOwners } from '../../../../db/queries/usage-owners.ts';
import { ZERO } from '../../../base/money.ts';
import { type ForeignCall, foreignSubject } from '../ledger/foreign-use.ts';
import type { UsageRecord } from '../../../media-api/account.ts';
import type { ReconcileContext } from './reconcile-context.ts';
import type { Verdicts } from './judge.ts';

const AT_ONCE = 200;

/** Books foreign use of the account, each call once, and reverses the booking of calls that turned out to be ours. */
export async function bookForeign(
  verdicts: Pick<Verdicts, 'foreign' | 'oursIds'>,
  records: readonly UsageRecord[],
  context: ReconcileContext,
  signal: AbortSignal,
): Promise<void> {
  const ours = records
    .filter(({ id }) => verdicts.oursIds.has(id))
    .map((record) => ({ recordId: record.id, charged: ZERO, createdAtMs: record.createdAtMs }));
  const foreign = verdicts.foreign.map(({ id, charged, createdAtMs }) => ({
    recordId: id,
    charged,
    createdAtMs,
  }));
  const all = [...ours, ...foreign];
  for (let first = 0; first < all.length; first += AT_ONCE) {
    signal.throwIfAborted();
    await bookSome(all.slice(first, first + AT_ONCE), context);
  }
}

async function bookSome(
  calls: readonly ForeignCall[],
  { db, foreignUse, log }: ReconcileContext,
): Promise<void> {
  const booked = await listForeign(
    db.kysely,
    calls.map(({ recordId }) => foreignSubject(recordId)),
  );
  const amounts = new Map(booked.map(({ subject, amount }) => [subject, amount]));
  const news = calls.filter(
    ({ recordId, charged }) => (amounts.get(foreignSubject(recordId)) ?? ZERO) !== charged,
  );
  if (news.length === 0) return;
  const changes = await db.transaction('account', async (trx) => {
    const owners = await listUsageOwners(
      trx,
      news.map(({ recordId }) => recordId),
    );
    // The operator may have decided on a record after the log was read.
    const ours = new Set(owners.filter(({ subject }) => subject !== null).map((owner) => owner.record_id));
    let change = 0;
    for (const call of news) {
      change += await foreignUse.book(trx, ours.has(call.recordId) ? { ...call, charged: ZERO } : call);
    }
    return change;
  });
  log.warn({ calls: news.length, changeMicros: changes }, 'Foreign use of the account was booked');
}
