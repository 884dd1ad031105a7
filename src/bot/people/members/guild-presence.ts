/** The guilds that the bot is in. `src/bot/discord/wire/discord-guilds.ts` implements it. */
export interface GuildPresence {
  /**
   * Returns whether the bot is in the guild; null if this process cannot know, because it is not connected or the
   * guild belongs to another process.
   */
  isIn(guildId: string): boolean | null;
  /**
   * Calls `change` when the bot is removed from a guild or added to one, but not when a guild is temporarily
   * unavailable.
   */
  watch(change: (guildId: string, isIn: boolean) => void): Disposable;
}
