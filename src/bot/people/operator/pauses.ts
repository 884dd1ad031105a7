import { deleteSetting, getSettings, listSettingNames, putSetting } from '../../../../db/queries/settings.ts';
import type { Queryable } from '../../../../db/schema.ts';
import type { Paused } from '../../money/ledger/spending-gate.ts';

/** The settings that store the pauses for all processes: one for everything, and one for each guild. */

const EVERYTHING = 'paused.everything';
const GUILDS = 'paused.guild.';

/** Returns the pause that applies to a guild's new work, or null. */
export async function pausedBy(db: Queryable, guildId: string): Promise<Paused | null> {
  const found = await getSettings(db, [EVERYTHING, nameOf(guildId)]);
  if (found.has(EVERYTHING)) return 'everything';
  return found.has(nameOf(guildId)) ? 'guild' : null;
}

/** Pauses one guild or, if `guildId` is null, everything. A repeated call changes nothing. */
export function pause(db: Queryable, guildId: string | null, nowMs: number): Promise<void> {
  return putSetting(db, nameOf(guildId), String(nowMs));
}

/**
 * Ends the pause of one guild or, if `guildId` is null, the general pause; guilds with a pause of their own stay
 * paused.
 */
export function resume(db: Queryable, guildId: string | null): Promise<void> {
  return deleteSetting(db, nameOf(guildId));
}

/** Returns whether there is a pause for exactly this guild or, if `guildId` is null, a general pause. */
export async function isPaused(db: Queryable, guildId: string | null): Promise<boolean> {
  return (await getSettings(db, [nameOf(guildId)])).size > 0;
}

/** Returns the guilds with a pause of their own, at most `limit`. */
export async function pausedGuilds(db: Queryable, limit: number): Promise<ReadonlySet<string>> {
  const names = await listSettingNames(db, GUILDS, limit);
  return new Set(names.map((name) => name.slice(GUILDS.length)));
}

function nameOf(guildId: string | null): string {
  return guildId === null ? EVERYTHING : `${GUILDS}${guildId}`;
}
