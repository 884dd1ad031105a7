import { deleteSetting, lockSetting, putSetting } from '../../../db/queries/settings.ts';
import type { Queryable, Trx } from '../../../db/schema.ts';
import type { Capability } from '../../media-api/wire.ts';

/**
 * What is known of capabilities that the service has switched off. Kept in the database, so that all processes
 * know it and together let one job through per interval to find out whether it is on again.
 */

/**
 * When a capability that is switched off is tried again (epoch milliseconds); null when it is not known to be off.
 * Who asks may be the one who tries: others learn the moment only after the transaction.
 */
export async function offUntil(trx: Trx, capability: Capability): Promise<number | null> {
  const stored = await lockSetting(trx, settingName(capability));
  return stored === undefined ? null : Number(stored);
}

/** Until that moment no job of the capability is taken on. */
export function switchOff(db: Queryable, capability: Capability, untilMs: number): Promise<void> {
  return putSetting(db, settingName(capability), String(untilMs));
}

/** The service took a job of the capability on. */
export function switchOn(db: Queryable, capability: Capability): Promise<void> {
  return deleteSetting(db, settingName(capability));
}

function settingName(capability: Capability): string {
  return `switched_off_until_ms.${capability}`;
}
