import type { Attachment, Message } from 'discord.js';
import { z } from 'zod';
import type { AttachedFile, NamedFile, TargetMessage } from '../command.ts';
import { DiscordError } from '../wire/discord-error.ts';

/** The format of Discord ids. */
export const snowflake: z.ZodType<string> = z.string().regex(/^\d{1,20}$/);

const attachedFile: z.ZodType<AttachedFile> = z.object({
  url: z.url().max(4_000),
  sizeBytes: z.int().nonnegative(),
  contentType: z.string().max(200).nullable().catch(null),
});

const namedFile: z.ZodType<NamedFile> = z.object({
  id: snowflake,
  name: z.string().max(1_000),
  url: z.url().max(4_000),
  sizeBytes: z.int().nonnegative(),
  contentType: z.string().max(200).nullable().catch(null),
});

const targetMessage: z.ZodType<TargetMessage> = z.object({
  kind: z.literal('message'),
  id: snowflake,
  authorId: snowflake,
  isOwn: z.boolean(),
  attachments: z.array(namedFile).max(100),
});

/** Parses the file of a command option or a form. */
export function parseAttachedFile({ url, size, contentType }: Attachment): AttachedFile {
  return parsePart(attachedFile, { url, sizeBytes: size, contentType });
}

/** Parses the message of a component or a context menu. */
export function parseTargetMessage(message: Message): TargetMessage {
  return parsePart(targetMessage, {
    kind: 'message',
    id: message.id,
    authorId: message.author.id,
    isOwn: message.author.id === message.client.user.id,
    attachments: attachmentsOf(message).map(({ id, name, url, size, contentType }) => ({
      id,
      name,
      url,
      sizeBytes: size,
      contentType,
    })),
  });
}

/** A forwarded message has its files in its snapshots of the original. */
function attachmentsOf({ attachments, messageSnapshots }: Message): readonly Attachment[] {
  return [attachments, ...messageSnapshots.map((shown) => shown.attachments)].flatMap((files) => [
    ...files.values(),
  ]);
}

/** Parses a part of an interaction. Throws `DiscordError` with the code `malformed`. */
export function parsePart<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  // The error names only the paths of unexpected values, because the values contain a token and signed links.
  const where = parsed.error.issues.map((issue) => issue.path.join('.')).join(', ');
  throw new DiscordError('malformed', `Cannot read an interaction: unexpected "${where}"`);
}
