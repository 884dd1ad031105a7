import type { Queryable } from '../../../../db/schema.ts';
import type { CapPeriod, CapTargetKind } from '../../../../db/schema/caps.ts';
import { micros } from '../../../../src/base/money.ts';

export interface CapSetting {
  readonly guildId?: string;
  readonly kind?: CapTargetKind;
  readonly targetId?: string;
  readonly capability?: string;
  readonly period?: CapPeriod;
  readonly limit: number;
  readonly setBy?: string;
}

function keyOf(setting: Omit<CapSetting, 'limit' | 'setBy'>) {
  const { guildId = 'guild', kind = 'guild', targetId = '', capability = '', period = 'day' } = setting;
  return { guild_id: guildId, target_kind: kind, target_id: targetId, capability, period };
}

/** Sets a cap. Default: a daily cap for the guild `guild` on everything. */
export async function setCap(db: Queryable, setting: CapSetting): Promise<void> {
  const limit = { limit_micros: micros(setting.limit) };
  await db
    .insertInto('caps')
    .values({ ...keyOf(setting), ...limit, set_by: setting.setBy ?? 'admin', set_at_ms: 0 })
    .onConflict((conflict) =>
      conflict.columns(['guild_id', 'target_kind', 'target_id', 'capability', 'period']).doUpdateSet(limit),
    )
    .execute();
}

export async function clearCap(db: Queryable, setting: Omit<CapSetting, 'limit' | 'setBy'>): Promise<void> {
  let query = db.deleteFrom('caps');
  for (const [name, value] of Object.entries(keyOf(setting))) {
    query = query.where(name as 'guild_id', '=', value);
  }
  await query.execute();
}

/** Sets the guild's time zone; null means the operator's time zone. */
export async function setZone(db: Queryable, guildId: string, zone: string | null): Promise<void> {
  await db
    .insertInto('budget_settings')
    .values({ guild_id: guildId, time_zone: zone, confirm_above_micros: null, alerts_channel_id: null })
    .onConflict((conflict) => conflict.column('guild_id').doUpdateSet({ time_zone: zone }))
    .execute();
}
