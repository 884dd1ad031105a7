import { z } from 'zod';
import { SNOWFLAKE } from './snowflake.ts';
import { type ComponentBody, messageComponent } from './component-body.ts';
import { type EmbedBody, embedBody } from './embed-body.ts';

/**
 * An entry of `attachments`: a file of this request, identified by its number, or a file to keep, identified by its id.
 */
export interface AttachmentEntry {
  readonly id: string;
  readonly filename?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly title?: string | null | undefined;
}

/** The users and roles that a message may notify. */
export interface AllowedMentions {
  readonly parse?: readonly ('users' | 'roles' | 'everyone')[] | null | undefined;
  readonly users?: readonly string[] | null | undefined;
  readonly roles?: readonly string[] | null | undefined;
  readonly replied_user?: boolean | null | undefined;
}

/** A message as a client sends it. Each route has its own schema, which allows only the fields of that route. */
export interface MessageInput {
  readonly content?: string | null | undefined;
  readonly embeds?: readonly EmbedBody[] | null | undefined;
  readonly allowed_mentions?: AllowedMentions | null | undefined;
  readonly components?: readonly ComponentBody[] | null | undefined;
  readonly attachments?: readonly AttachmentEntry[] | null | undefined;
  readonly flags?: number | null | undefined;
  readonly tts?: boolean | null | undefined;
  readonly nonce?: string | number | null | undefined;
  readonly enforce_nonce?: boolean | null | undefined;
  readonly message_reference?:
    | { readonly message_id: string; readonly fail_if_not_exists?: boolean | null | undefined }
    | null
    | undefined;
}

const snowflake = z.string().regex(SNOWFLAKE, 'Value is not snowflake.');

/**
 * For a kept attachment, discord.js sends more properties than these, so others are accepted and dropped.
 */
const attachmentEntry = z.object({
  id: z.union([z.string().regex(/^\d{1,19}$/), z.int().min(0).transform(String)]),
  filename: z.string().min(1).max(1024).nullish(),
  description: z.string().max(1024).nullish(),
  title: z.string().max(1024).nullish(),
  duration_secs: z.null().optional(),
  waveform: z.null().optional(),
  is_spoiler: z.boolean().nullish(),
});

const allowedMentions = z.strictObject({
  parse: z
    .array(z.enum(['users', 'roles', 'everyone']))
    .max(3)
    .nullish(),
  users: z.array(snowflake).max(100).nullish(),
  roles: z.array(snowflake).max(100).nullish(),
  replied_user: z.boolean().nullish(),
});

const shared = {
  content: z.string().max(2000).nullish(),
  embeds: z.array(embedBody).max(10).nullish(),
  allowed_mentions: allowedMentions.nullish(),
  components: z.array(messageComponent).max(40).nullish(),
  attachments: z.array(attachmentEntry).max(10).nullish(),
  flags: z.int().min(0).nullish(),
};

/**
 * The body of a reply to an interaction, and of a follow-up. Nonces have no effect here. `enforce_nonce` is
 * allowed because discord.js sends `enforce_nonce: false` with every message.
 */
export const replyBody: z.ZodType<MessageInput> = z.strictObject({
  ...shared,
  tts: z.boolean().nullish(),
  enforce_nonce: z.literal(false).nullish(),
});

/** The body of an edit. discord.js sends `tts` with every edit; it has no effect. */
export const editBody: z.ZodType<MessageInput> = replyBody;

/** The body of a message to a channel. */
export const createBody: z.ZodType<MessageInput> = z.strictObject({
  ...shared,
  tts: z.boolean().nullish(),
  nonce: z.union([z.string().max(25), z.int()]).nullish(),
  enforce_nonce: z.boolean().nullish(),
  message_reference: z
    .strictObject({
      type: z.literal(0).nullish(),
      message_id: snowflake,
      channel_id: snowflake.nullish(),
      guild_id: snowflake.nullish(),
      fail_if_not_exists: z.boolean().nullish(),
    })
    .nullish(),
});
