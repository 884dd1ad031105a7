import type { MessageContextMenuCommandInteraction, UserContextMenuCommandInteraction } from 'discord.js';
import { z } from 'zod';
import type { MenuCall, TargetUser } from '../command.ts';
import { parsePart, parseTargetMessage, snowflake } from './interaction-parts.ts';
import { parseOrigin } from './parse-origin.ts';

export type MenuInteraction = MessageContextMenuCommandInteraction | UserContextMenuCommandInteraction;

const AVATAR = { extension: 'png', forceStatic: true, size: 1024 } as const;

const targetUser: z.ZodType<TargetUser> = z.object({
  kind: z.literal('user'),
  id: snowflake,
  isBot: z.boolean(),
  avatarUrl: z.url().max(4_000).nullable(),
});

/** Parses one use of a context menu. Throws `DiscordError`: `wrong_place` outside servers, or `malformed`. */
export function parseMenuCall(interaction: MenuInteraction, receivedAtMs: number): MenuCall {
  return {
    origin: parseOrigin(interaction, receivedAtMs),
    target: interaction.isUserContextMenuCommand()
      ? parseTargetUser(interaction)
      : parseTargetMessage(interaction.targetMessage),
  };
}

function parseTargetUser(interaction: UserContextMenuCommandInteraction): TargetUser {
  const { targetUser: user } = interaction;
  return parsePart(targetUser, {
    kind: 'user',
    id: user.id,
    isBot: user.bot,
    avatarUrl: serverAvatarOf(interaction) ?? user.avatarURL(AVATAR),
  });
}

/** Returns the link to the picture that the member has only in this server, or null. */
function serverAvatarOf(interaction: UserContextMenuCommandInteraction): string | null {
  const { targetId, guildId } = interaction;
  const hash = interaction.targetMember?.avatar ?? null;
  if (hash === null || guildId === null) return null;
  return interaction.client.rest.cdn.guildMemberAvatar(guildId, targetId, hash, AVATAR);
}
