/** Knows who is in a guild. Implemented in `src/bot/discord/wire/guild-members.ts`. */
export interface GuildMembers {
  nameOf(guildId: string): string | null;
  /** Returns the user's roles. Null if they are not in the guild, undefined if the chat cannot be asked. */
  rolesOf(
    guildId: string,
    userId: string,
    signal: AbortSignal,
  ): Promise<readonly string[] | null | undefined>;
}
