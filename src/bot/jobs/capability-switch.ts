import { deleteSetting, lockSetting, putSetting } from '../../../db/queries/settings.ts';
import type { Queryable, Trx } from '../../../db/schema.ts';
import type { Capability } from '../../media-api/wire.ts';

/**
 * Returns when a capability that the service has switched off is tried again (epoch milliseconds); null if it is not
 * known to be off. The time is stored in the database, so that all processes together let only one job per interval
 * through, to find out whether the capability is on again. The caller's job may be that job, so the value stays locked
 * until the transaction ends.
 */
export async function offUntil(trx: Trx, capability: Capability): Promise<number | null> {
  const stored = await lockSetting(trx, settingName(capability));
  return stored === undefined ? null : Number(stored);
}

/** Records that no job of the capability is accepted until `untilMs`. */
export function switchOff(db: Queryable, capability: Capability, untilMs: number): Promise<void> {
  return putSetting(db, settingName(capability), String(untilMs));
}

/** Records that the service has accepted a job of the capability. */
export function switchOn(db: Queryable, capability: Capability): Promise<void> {
  return deleteSetting(db, settingName(capability));
}

function settingName(capability: Capability): string {
  return `switched_off_until_ms.${capability}`;
}
