/** The guilds that the bot is in. Implemented in `src/bot/discord/wire/guild-presence.ts`. */
export interface GuildPresence {
  /** Null if this process does not know: it is not connected, or the guild belongs to another process. */
  isIn(guildId: string): boolean | null;
  /** Calls `change` when the bot is removed from a guild or added to one, but not when a guild is unavailable. */
  watch(change: (guildId: string, isIn: boolean) => void): Disposable;
}
