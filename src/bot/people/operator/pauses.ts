import { deleteSetting, getSettings, listSettingNames, putSetting } from '../../../../db/queries/settings.ts';
import type { Queryable } from '../../../../db/schema.ts';
import type { Paused } from '../../money/ledger/spending-gate.ts';

/**
 * What the operator has paused, for all processes and through restarts: a setting for everything, and one for each
 * guild.
 */

const EVERYTHING = 'paused.everything';
const GUILDS = 'paused.guild.';

/** What keeps new work of a guild from being taken on. */
export async function pausedBy(db: Queryable, guildId: string): Promise<Paused | null> {
  const found = await getSettings(db, [EVERYTHING, nameOf(guildId)]);
  if (found.has(EVERYTHING)) return 'everything';
  return found.has(nameOf(guildId)) ? 'guild' : null;
}

/** Pauses one guild or (null) everything; harmless to repeat. */
export function pause(db: Queryable, guildId: string | null, nowMs: number): Promise<void> {
  return putSetting(db, nameOf(guildId), String(nowMs));
}

/** Ends the pause of one guild, or (null) the one of everything: guilds that were paused by themselves stay so. */
export function resume(db: Queryable, guildId: string | null): Promise<void> {
  return deleteSetting(db, nameOf(guildId));
}

/** Whether exactly this is paused. */
export async function isPaused(db: Queryable, guildId: string | null): Promise<boolean> {
  return (await getSettings(db, [nameOf(guildId)])).size > 0;
}

/** The guilds that are paused by themselves, at most `limit`. */
export async function pausedGuilds(db: Queryable, limit: number): Promise<ReadonlySet<string>> {
  const names = await listSettingNames(db, GUILDS, limit);
  return new Set(names.map((name) => name.slice(GUILDS.length)));
}

function nameOf(guildId: string | null): string {
  return guildId === null ? EVERYTHING : `${GUILDS}${guildId}`;
}
