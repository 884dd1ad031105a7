import type { PricedCapability } from '../../media-api/wire.ts';
import type { Database } from './database.ts';

/** A capability that this server knows, and whether it is switched on. */
export interface CapabilitySwitch {
  readonly feature: PricedCapability;
  readonly enabled: boolean;
}

/** Returns all capabilities that were ever introduced, sorted by name. */
export function listCapabilities(db: Database): CapabilitySwitch[] {
  const rows = db.all<{ feature: PricedCapability; enabled: number }>(
    'SELECT feature, enabled FROM capabilities ORDER BY feature',
  );
  return rows.map(({ feature, enabled }) => ({ feature, enabled: enabled === 1 }));
}
