/** Who is in a guild. Implemented in `src/bot/discord/wire/guild-members.ts`. */
export interface GuildMembers {
  nameOf(guildId: string): string | null;
  /** Their roles now; null: they are not in it. Undefined: the chat could not be asked. */
  rolesOf(
    guildId: string,
    userId: string,
    signal: AbortSignal,
  ): Promise<readonly string[] | null | undefined>;
}
