/** The guilds whose names this process knows. `src/bot/discord/wire/discord-guilds.ts` implements it. */
export interface GuildNames {
  /** Returns the name, which must not be trusted; null if this process does not know the guild. */
  nameOf(guildId: string): string | null;
  ids(): readonly string[];
}
