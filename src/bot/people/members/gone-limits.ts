import type { Database } from '../../../../db/database.ts';
import { namelessPseudonym } from '../../../../db/pseudonyms.ts';
import {
  type GoneMember,
  deleteGoneMember,
  anonymiseEndedUse,
  hasLastingCap,
  hasActiveLimits,
  listDueGoneMembers,
  listGoneMembers,
  putGoneMember,
} from '../../../../db/queries/gone-members.ts';
import type { Trx, Queryable } from '../../../../db/schema.ts';
import type { Clock } from '../../../base/clock.ts';

/**
 * Returns the time span that covers the current windows of all limits on individual members in a guild. The ledger
 * implements it.
 */
export type LimitSpanOf = (
  db: Queryable,
  guildId: string,
) => Promise<{ readonly startsAtMs: number; readonly endsAtMs: number }>;

interface GoneLimitsOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly limitSpanOf: LimitSpanOf;
}

/** The longest pause that a guild can require between two jobs of a member. */
const COOLDOWN_MS_MAX = 86_400_000;
/** After this time, an unreviewed charge far above its hold no longer blocks a member who deleted their data. */
const WATCH_MS_MAX = 90 * 86_400_000;
const LOOK_MS = 86_400_000;
const AT_ONCE = 100;

/**
 * Replaces the pseudonyms of members who deleted their data, in rows that no limit uses any longer. The rows are
 * anonymous afterwards.
 */
export async function forgetEndedLimits(options: GoneLimitsOptions): Promise<void> {
  const { db, clock } = options;
  const nowMs = clock.now();
  for (;;) {
    const due = await listDueGoneMembers(db.kysely, { nowMs, limit: AT_ONCE });
    for (const member of due) {
      await db.transaction(`guild:${member.guild_id}`, (trx) => forgetEnded(trx, member, options, nowMs));
    }
    if (due.length < AT_ONCE) return;
  }
}

/** Replaces the pseudonyms in all rows of a guild whose own limits were deleted, so that the rows are anonymous. */
export async function forgetGoneMembers(trx: Trx, guildId: string): Promise<void> {
  const everMs = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const gone = await listGoneMembers(trx, guildId, AT_ONCE);
    for (const member of gone) {
      const nameless = namelessPseudonym();
      await anonymiseEndedUse(trx, member, {
        nameless,
        jobsBeforeMs: everMs,
        heldBeforeMs: everMs,
        watchedBeforeMs: everMs,
      });
      await deleteGoneMember(trx, member, nameless);
    }
    if (gone.length < AT_ONCE) return;
  }
}

async function forgetEnded(
  trx: Trx,
  member: GoneMember,
  { limitSpanOf }: GoneLimitsOptions,
  nowMs: number,
): Promise<void> {
  const nameless = namelessPseudonym();
  const { startsAtMs, endsAtMs } = await limitSpanOf(trx, member.guild_id);
  await anonymiseEndedUse(trx, member, {
    nameless,
    jobsBeforeMs: nowMs - COOLDOWN_MS_MAX,
    heldBeforeMs: (await hasLastingCap(trx, member)) ? 0 : startsAtMs,
    watchedBeforeMs: nowMs - WATCH_MS_MAX,
  });
  if (await hasActiveLimits(trx, member)) {
    await putGoneMember(trx, { ...member, due_at_ms: Math.min(nowMs + LOOK_MS, endsAtMs) });
  } else await deleteGoneMember(trx, member, nameless);
}
