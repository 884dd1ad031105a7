import type { AlertPercent, NewBudgetAlert } from '../../../../db/schema/alerts.ts';
import { derivedId } from '../../../base/ids.ts';
import { PSEUDONYM_PREFIX } from '../../../../db/pseudonyms.ts';
import { targetIdOf } from './cap-of.ts';
import { type MeteredCap, usedOf } from './metered-cap.ts';

const PERCENTS: readonly AlertPercent[] = [50, 80, 100];

/** Returns the alerts for the used amounts of these caps. A limit of zero never causes an alert. */
export function reachedAlerts(metered: readonly MeteredCap[], nowMs: number): NewBudgetAlert[] {
  return metered
    .filter(isToTell)
    .flatMap((one) =>
      PERCENTS.filter((percent) => isReached(one, percent)).map((percent) => alertOf(one, percent, nowMs)),
    );
}

/** Returns the highest alert percentage that the used amount of a cap has reached; 0 if it has reached none. */
export function highestReached(metered: MeteredCap): AlertPercent | 0 {
  return PERCENTS.findLast((percent) => isReached(metered, percent)) ?? 0;
}

/**
 * Whether alerts about this cap are sent. There are none about members whose data was deleted, because their ids are
 * unknown.
 */
function isToTell({ userId }: MeteredCap): boolean {
  return !userId.startsWith(PSEUDONYM_PREFIX);
}

function isReached(metered: MeteredCap, percent: AlertPercent): boolean {
  const { limit } = metered.cap;
  return limit > 0 && BigInt(usedOf(metered)) * 100n >= BigInt(limit) * BigInt(percent);
}

function alertOf(metered: MeteredCap, percent: AlertPercent, nowMs: number): NewBudgetAlert {
  const { cap, guildId, userId, window } = metered;
  const which = {
    guild_id: guildId,
    target_kind: cap.target.kind,
    target_id: targetIdOf(cap.target),
    user_id: userId,
    capability: cap.capability ?? '',
    period: cap.period,
    // `beganMs` stays the same when a zone change extends the window, so the extended window is not reported again.
    starts_at_ms: window.beganMs,
    percent,
  };
  return {
    ...which,
    id: derivedId('alert', ...Object.values(which).map(String)),
    ends_at_ms: window.endsAtMs,
    limit_micros: cap.limit,
    used_micros: usedOf(metered),
    pending_micros: metered.totals.pending,
    made_at_ms: nowMs,
    due_at_ms: nowMs,
    told_at_ms: null,
  };
}
