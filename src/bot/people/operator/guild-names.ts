/** The guilds that this process knows by name. Implemented in `src/bot/discord/wire/guild-presence.ts`. */
export interface GuildNames {
  /** Untrusted text; null for a guild that is not known here. */
  nameOf(guildId: string): string | null;
  ids(): readonly string[];
}
