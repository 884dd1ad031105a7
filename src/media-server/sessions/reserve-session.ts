import type { Clock } from '../../base/clock.ts';
import { randomId } from '../../base/ids.ts';
import type { Billing } from '../billing/billing.ts';
import { blockOf } from '../billing/session-price.ts';
import type { Database } from '../store/database.ts';
import { isCapabilityEnabled, resolveRate } from '../store/rates.ts';
import { type NewSession, countOpenSessions, insertSession } from '../store/sessions.ts';
import { readSetting } from '../store/settings.ts';
import { ApiError } from '../wire/api-error.ts';
import type { ServerFaults } from '../server-faults.ts';
import type { PlacesInUse, SessionKind } from './session-kind.ts';

/** The dependencies of `reserveSession`. */
interface Reservation {
  readonly db: Database;
  readonly clock: Clock;
  readonly billing: Billing;
  readonly faults: Pick<ServerFaults, 'isOutOfCapacity'>;
}

/**
 * Stores a session with its rate and block, if it may be opened; otherwise throws `ApiError`. It checks the
 * capability, then the ceiling, then the balance, in one transaction, so that simultaneous requests cannot
 * use the same place or money.
 */
export function reserveSession(
  { db, clock, billing, faults }: Reservation,
  kind: SessionKind,
  asked: { readonly accountId: string; readonly seconds: number },
): NewSession {
  const { accountId } = asked;
  return db.transact(() => {
    const use = requireOpen(db, kind, faults);
    const seconds = Math.min(Math.max(Math.floor(kind.grant(asked.seconds, use)), 1), asked.seconds);
    const { rate } = resolveRate(db, kind.feature, accountId);
    const block = blockOf(rate, seconds);
    billing.requireBlock(accountId, block);
    const id = randomId('ses');
    const session = { id, accountId, feature: kind.feature, rate, seconds, block, createdAt: clock.now() };
    insertSession(db, session);
    return session;
  });
}

function requireOpen(
  db: Database,
  { feature, ceiling, offered }: SessionKind,
  { isOutOfCapacity }: Reservation['faults'],
): PlacesInUse {
  if (!offered) {
    throw new ApiError('capability_unavailable', 'This server has no engine for this capability');
  }
  if (!isCapabilityEnabled(db, feature)) {
    throw new ApiError('capability_unavailable', 'This capability is switched off at the moment');
  }
  const use = {
    open: countOpenSessions(db, feature),
    ceiling: readSetting(db, ceiling.setting, ceiling.initial),
  };
  if (use.open < use.ceiling && !isOutOfCapacity) return use;
  throw new ApiError('at_capacity', 'Too many sessions are open; retry shortly', { retryAfterSeconds: 2 });
}
