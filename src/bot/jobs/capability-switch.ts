import { deleteSetting, lockSetting, putSetting } from '../../../db/queries/settings.ts';
import type { Queryable, Trx } from '../../../db/schema.ts';
import type { Capability } from '../../media-api/wire.ts';

/**
 * The capabilities that the service has switched off. They are stored in the database, so that all processes know them
 * and together let one job per interval through, which finds out whether the capability is on again.
 */

/**
 * Returns when a capability that is switched off is tried again (epoch milliseconds); null if it is not known to be off.
 * The caller's job may be the one that tries it, so other transactions wait for the end of this one before they read it.
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
