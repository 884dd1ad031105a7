import { ApplicationCommandOptionType, type ChatInputCommandInteraction } from 'discord.js';
import { z } from 'zod';
import type { CallOrigin } from '../jobs/ports.ts';
import type { AttachedFile, CommandCall } from './command.ts';
import { DiscordError } from './errors.ts';

/** What Discord lets everybody upload, should it not say. */
const ATTACHMENT_LIMIT_BYTES_DEFAULT = 10 * 1024 * 1024;

const snowflake = z.string().regex(/^\d{1,20}$/);

const origin: z.ZodType<CallOrigin> = z.object({
  interactionId: snowflake,
  applicationId: snowflake,
  guildId: snowflake,
  channelId: snowflake,
  parentChannelId: snowflake.nullable(),
  isAgeRestricted: z.boolean(),
  userId: snowflake,
  roleIds: z.array(snowflake).max(1_000),
  isAdmin: z.boolean(),
  isModerator: z.boolean(),
  locale: z.string().max(20),
  interactionToken: z.string().regex(/^[\w.~=+-]{1,1000}$/),
  receivedAtMs: z.int(),
  attachmentSizeLimitBytes: z.int().positive().catch(ATTACHMENT_LIMIT_BYTES_DEFAULT),
});

const attachedFile: z.ZodType<AttachedFile> = z.object({
  url: z.url().max(4_000),
  sizeBytes: z.int().nonnegative(),
  contentType: z.string().max(200).nullable().catch(null),
});

/** Checks an interaction. Throws `DiscordError`: `wrong_place` outside of servers, `malformed` otherwise. */
export function parseCommandCall(
  interaction: ChatInputCommandInteraction,
  receivedAtMs: number,
): CommandCall {
  if (interaction.guildId === null) {
    throw new DiscordError('wrong_place', 'Cannot run a command: used outside of a server', {
      userMessage: 'This command works in servers only.',
    });
  }
  return {
    origin: parse(origin, {
      interactionId: interaction.id,
      applicationId: interaction.applicationId,
      guildId: interaction.guildId,
      channelId: interaction.channelId,
      parentChannelId:
        interaction.channel && 'parentId' in interaction.channel ? interaction.channel.parentId : null,
      isAgeRestricted:
        interaction.channel !== null && 'nsfw' in interaction.channel && interaction.channel.nsfw,
      userId: interaction.user.id,
      roleIds: interaction.inCachedGuild() ? [...interaction.member.roles.cache.keys()] : [],
      isAdmin: interaction.memberPermissions?.has('ManageGuild') ?? false,
      isModerator: interaction.memberPermissions?.has('ManageMessages') ?? false,
      locale: interaction.locale,
      interactionToken: interaction.token,
      receivedAtMs,
      attachmentSizeLimitBytes: interaction.attachmentSizeLimit,
    }),
    subcommand: null,
    attachments: parseAttachments(interaction),
    texts: new Map(),
    numbers: new Map(),
    flags: new Map(),
  };
}

function parseAttachments(interaction: ChatInputCommandInteraction): ReadonlyMap<string, AttachedFile> {
  const files = new Map<string, AttachedFile>();
  for (const option of interaction.options.data) {
    if (option.type !== ApplicationCommandOptionType.Attachment || !option.attachment) continue;
    const { url, size, contentType } = option.attachment;
    files.set(option.name, parse(attachedFile, { url, sizeBytes: size, contentType }));
  }
  return files;
}

function parse<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  // Paths only: the values hold a token and signed links.
  const where = parsed.error.issues.map((issue) => issue.path.join('.')).join(', ');
  throw new DiscordError('malformed', `Cannot read an interaction: unexpected "${where}"`);
}
