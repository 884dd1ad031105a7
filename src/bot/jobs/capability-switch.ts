import { deleteSetting, lockSetting, putSetting } from '../../../db/queries/settings.ts';
import type { Queryable, Trx } from '../../../db/schema.ts';
import type { Capability } from '../../media-api/wire.ts';

/**
 * Returns the time (epoch milliseconds) from which a switched-off capability may be tried again; null if the service is
 * not known to have switched it off. The time is stored in the database, so that all processes together try the
 * capability with only one job per interval. The caller's job may be that one, so the value stays locked until the
 * transaction ends.
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
