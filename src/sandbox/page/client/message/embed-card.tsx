import type { PageEmbed } from '../../message-views.ts';
import { messageTime } from '../markdown/time-text.ts';
import { Markdown } from '../markdown/markdown.tsx';
import { colourText } from './colour-text.ts';
import { Picture } from './picture.tsx';
import { webLink } from './web-link.ts';

/** An embed of a message, shown as a card. */
export function EmbedCard({ embed }: { readonly embed: PageEmbed }) {
  const { title, description, author, fields = [], image, thumbnail } = embed;
  const url = webLink(embed.url);
  return (
    <article class="card embed" style={{ borderLeftColor: colourText(embed.color) }}>
      <div class="embed-words">
        {author && <p class="small">{author.name}</p>}
        {title !== undefined && (
          <div class="embed-title">
            {url === undefined ? (
              <Markdown text={title} />
            ) : (
              <a href={url} target="_blank" rel="noreferrer">
                {title}
              </a>
            )}
          </div>
        )}
        {description !== undefined && <Markdown text={description} />}
        {fields.length > 0 && (
          <dl class="fields">
            {fields.map(({ name, value, inline }, index) => (
              <div key={index} class={inline ? 'inline' : ''}>
                <dt>{name}</dt>
                <dd>
                  <Markdown text={value} />
                </dd>
              </div>
            ))}
          </dl>
        )}
        {image && <Picture url={image.url} alt={title ?? 'Picture'} />}
        <EmbedFoot embed={embed} />
      </div>
      {thumbnail && (
        <div class="thumbnail">
          <Picture url={thumbnail.url} alt={title ?? 'Picture'} />
        </div>
      )}
    </article>
  );
}

function EmbedFoot({ embed: { footer, timestamp } }: { readonly embed: PageEmbed }) {
  if (!footer && timestamp === undefined) return null;
  const time = timestamp === undefined ? undefined : messageTime(Date.parse(timestamp), Date.now());
  return <p class="small quiet">{[footer?.text, time].filter(Boolean).join(' · ')}</p>;
}
