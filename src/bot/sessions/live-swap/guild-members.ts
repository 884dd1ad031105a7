/** Looks up the members of a guild. `src/bot/discord/wire/discord-guild-members.ts` implements it. */
export interface GuildMembers {
  nameOf(guildId: string): string | null;
  /** Returns the user's roles; null if they are not in the guild, and `undefined` if Discord cannot be reached. */
  rolesOf(
    guildId: string,
    userId: string,
    signal: AbortSignal,
  ): Promise<readonly string[] | null | undefined>;
}
