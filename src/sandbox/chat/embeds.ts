import { refuseField } from './api-error.ts';
import { EMBED_TEXT_LENGTH_MAX, type EmbedBody, embedTextLength } from './embed-body.ts';
import type { Payload } from './payload.ts';

/** Throws if an embed is empty, or if all embeds together have too much text. */
export function checkEmbeds(embeds: readonly EmbedBody[]): void {
  if (embedTextLength(embeds) > EMBED_TEXT_LENGTH_MAX) {
    refuseField(
      'embeds',
      'MAX_EMBED_SIZE_EXCEEDED',
      `Embed size exceeds maximum size of ${EMBED_TEXT_LENGTH_MAX}`,
    );
  }
}

/**
 * Returns an embed as the API sends it, except that links to files keep the `attachment://` form until the message is
 * sent.
 */
export function embedPayload(embed: EmbedBody): Payload {
  return clean({
    ...embed,
    type: 'rich',
    ...(embed.timestamp ? { timestamp: new Date(embed.timestamp).toISOString() } : {}),
    ...(embed.fields
      ? { fields: embed.fields.map((field) => ({ ...field, inline: field.inline ?? false })) }
      : {}),
    ...(embed.image ? { image: clean(embed.image) } : {}),
    ...(embed.thumbnail ? { thumbnail: clean(embed.thumbnail) } : {}),
    ...(embed.author ? { author: clean(embed.author) } : {}),
    ...(embed.footer ? { footer: clean(embed.footer) } : {}),
  });
}

function clean(value: object): Payload {
  return Object.fromEntries(
    Object.entries(value).filter(([, inner]) => inner !== null && inner !== undefined),
  );
}
