import type { Client } from 'discord.js';
import { z } from 'zod';
import { restErrorCode } from './rest-verdict.ts';
import type { GuildMembers } from '../../sessions/live-swap/guild-members.ts';

const UNKNOWN_MEMBER = 10007;
const UNKNOWN_GUILD = 10004;
const member = z.object({ roles: z.array(z.string().max(32)).max(1_000) });

/**
 * Fetches guild members from Discord, because a bot without the privileged Server Members intent is not notified when a
 * member leaves.
 */
export class DiscordGuildMembers implements GuildMembers {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  nameOf(guildId: string): string | null {
    return this.#client.guilds.cache.get(guildId)?.name ?? null;
  }

  async rolesOf(
    guildId: string,
    userId: string,
    signal: AbortSignal,
  ): Promise<readonly string[] | null | undefined> {
    try {
      const found = await this.#client.rest.get(`/guilds/${guildId}/members/${userId}`, { signal });
      return member.parse(found).roles;
    } catch (error) {
      const code = restErrorCode(error);
      return code === UNKNOWN_MEMBER || code === UNKNOWN_GUILD ? null : undefined;
    }
  }
}
