/** The guilds that this process knows by name. Implemented in `src/bot/discord/wire/guild-presence.ts`. */
export interface GuildNames {
  /** Returns the name, which is untrusted text. Null for a guild that is not known here. */
  nameOf(guildId: string): string | null;
  ids(): readonly string[];
}
