import { z } from 'zod';

interface EmbedMedia {
  readonly url?: string | null | undefined;
}

/** An embed as a client sends it. */
export interface EmbedBody {
  readonly title?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly url?: string | null | undefined;
  readonly color?: number | null | undefined;
  readonly timestamp?: string | null | undefined;
  readonly author?:
    | {
        readonly name?: string | null | undefined;
        readonly url?: string | null | undefined;
        readonly icon_url?: string | null | undefined;
      }
    | null
    | undefined;
  readonly footer?:
    | { readonly text?: string | null | undefined; readonly icon_url?: string | null | undefined }
    | null
    | undefined;
  readonly image?: EmbedMedia | null | undefined;
  readonly thumbnail?: EmbedMedia | null | undefined;
  readonly fields?:
    | readonly {
        readonly name: string;
        readonly value: string;
        readonly inline?: boolean | null | undefined;
      }[]
    | null
    | undefined;
}

const link = z
  .string()
  .max(2048)
  .refine((url) => /^https?:\/\//.test(url) && URL.canParse(url), {
    message: 'Not a well formed URL.',
    params: { code: 'URL_TYPE_INVALID_URL' },
  });
const mediaLink = z.union([z.string().regex(/^attachment:\/\/[A-Za-z0-9._-]{1,1024}$/), link]);
const media = z.strictObject({
  url: mediaLink.nullish(),
  proxy_url: z.string().nullish(),
  width: z.int().nullish(),
  height: z.int().nullish(),
});

/** Discord's limits for one embed. `EMBED_TEXT_LENGTH_MAX` is the limit for all embeds of a message together. */
export const embedBody: z.ZodType<EmbedBody> = z.strictObject({
  type: z.string().nullish(),
  title: z.string().max(256).nullish(),
  description: z.string().max(4096).nullish(),
  url: link.nullish(),
  color: z.int().min(0).max(0xff_ff_ff).nullish(),
  timestamp: z.iso.datetime({ offset: true }).nullish(),
  author: z
    .strictObject({
      name: z.string().min(1).max(256),
      url: link.nullish(),
      icon_url: mediaLink.nullish(),
      proxy_icon_url: z.string().nullish(),
    })
    .nullish(),
  footer: z
    .strictObject({
      text: z.string().min(1).max(2048),
      icon_url: mediaLink.nullish(),
      proxy_icon_url: z.string().nullish(),
    })
    .nullish(),
  image: media.nullish(),
  thumbnail: media.nullish(),
  fields: z
    .array(
      z.strictObject({
        name: z.string().min(1).max(256),
        value: z.string().min(1).max(1024),
        inline: z.boolean().nullish(),
      }),
    )
    .max(25)
    .nullish(),
});

/** The maximum number of characters in all embeds of a message together. */
export const EMBED_TEXT_LENGTH_MAX = 6000;

/** Returns the number of characters in a message's embeds that count towards `EMBED_TEXT_LENGTH_MAX`. */
export function embedTextLength(embeds: readonly EmbedBody[]): number {
  return embeds
    .flatMap((embed) => [
      embed.title,
      embed.description,
      embed.author?.name,
      embed.footer?.text,
      ...(embed.fields ?? []).flatMap((field) => [field.name, field.value]),
    ])
    .reduce((sum, text) => sum + (text ?? '').trim().length, 0);
}
