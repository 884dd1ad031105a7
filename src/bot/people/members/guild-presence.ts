/** Which guilds the bot is in. Implemented in `src/bot/discord/wire/guild-presence.ts`. */
export interface GuildPresence {
  /** Null when this process cannot tell: not connected, or the guild belongs to another one. */
  isIn(guildId: string): boolean | null;
  /** Calls back when the bot was removed from a guild (not when one is unavailable), or added to one. */
  watch(change: (guildId: string, isIn: boolean) => void): Disposable;
}
