import type { PageFile, PageMessage } from '../../message-views.ts';
import { Markdown } from '../markdown/markdown.tsx';
import { messageTime, timeText } from '../markdown/time-text.ts';
import { ContextMenu } from '../menu/context-menu.tsx';
import { useMenu } from '../menu/use-menu.ts';
import { useChat } from '../store/use-chat.ts';
import { Avatar } from '../parts/avatar.tsx';
import { Icon } from '../parts/icon.tsx';
import { Components } from './component-view.tsx';
import { EmbedCard } from './embed-card.tsx';
import { MessageFiles } from './message-files.tsx';
import { MessageOrigin } from './message-origin.tsx';
import { Thinking } from './thinking.tsx';
import { useMessageMenu } from './use-message-menu.ts';

interface MessageRowProps {
  readonly message: PageMessage;
  /** Whether the message directly follows another one from the same author. */
  readonly isContinued: boolean;
  readonly onDismiss: () => void;
}

/** A message with all its parts. */
export function MessageRow({ message, isContinued, onDismiss }: MessageRowProps) {
  const menu = useMenu();
  const offered = useMessageMenu(message, menu.anchor !== null, onDismiss);
  const { author, mentions, ephemeral } = message;
  const kinds = ['message', isContinued && 'continued', mentions.me && 'to-me', ephemeral && 'ephemeral'];
  return (
    <li class={kinds.filter(Boolean).join(' ')} data-message={message.id} {...menu.handlers}>
      <MessageOrigin message={message} />
      <div class="message-main">
        {isContinued ? <span class="avatar-gap" /> : <Avatar user={author} />}
        <div class="message-body">
          {!isContinued && <MessageHead message={message} />}
          <MessageContent message={message} isContinued={isContinued} />
          {ephemeral && <OnlyYou onDismiss={onDismiss} />}
        </div>
      </div>
      <button
        type="button"
        class="icon more"
        aria-label={`More about the message of ${author.name}`}
        aria-haspopup="true"
        aria-expanded={menu.anchor !== null}
        onClick={({ currentTarget }) => menu.toggle(currentTarget)}
      >
        <Icon name="more" />
      </button>
      {menu.anchor && <ContextMenu label="Message" anchor={menu.anchor} onClose={menu.close} {...offered} />}
    </li>
  );
}

function MessageHead({ message }: Pick<MessageRowProps, 'message'>) {
  const chat = useChat();
  const { author, created_at_ms: at } = message;
  return (
    <p class="message-head">
      <strong>{author.name}</strong>
      {author.bot && <span class="tag">APP</span>}
      <time class="small quiet" dateTime={new Date(at).toISOString()} title={timeText(at, 'F', at)}>
        {messageTime(at, Date.now() + chat.clockAheadMs.peek())}
      </time>
      {isEdited(message) && <span class="small quiet">(edited)</span>}
    </p>
  );
}

/**
 * Whether the message's text was edited. Messages without text do not count, because bots edit their cards all the
 * time.
 */
function isEdited({ edited_at_ms, content }: PageMessage): boolean {
  return edited_at_ms !== null && content !== '';
}

function MessageContent({ message, isContinued }: Pick<MessageRowProps, 'message' | 'isContinued'>) {
  const chat = useChat();
  const { content, embeds, components, attachments, forwarded, components_v2: isV2 } = message;
  const lastUse = chat.uses.known.value.findLast(
    (use) => use.source_message_id === message.id && use.kind === 'component',
  );
  if (message.thinking_until_ms !== null) return <Thinking message={message} />;
  return (
    <>
      {content !== '' && <Markdown text={content} />}
      {isContinued && isEdited(message) && <span class="small quiet">(edited)</span>}
      {forwarded && (
        <blockquote class="forwarded">
          <p class="small quiet">Forwarded</p>
          <Markdown text={forwarded.content} />
          {forwarded.embeds.map((embed, index) => (
            <EmbedCard key={index} embed={embed} />
          ))}
          <MessageFiles files={forwarded.attachments} />
        </blockquote>
      )}
      {!isV2 && <MessageFiles files={attachments.filter((file) => !isInCard(file, message))} />}
      {embeds.map((embed, index) => (
        <EmbedCard key={index} embed={embed} />
      ))}
      <Components components={components} message={message} />
      {lastUse?.state === 'failed' && (
        <output class="failed small">This interaction failed. Please try again.</output>
      )}
    </>
  );
}

function OnlyYou({ onDismiss }: { readonly onDismiss: () => void }) {
  return (
    <p class="only-you small quiet">
      <Icon name="eye" />
      Only you can see this ·
      <button type="button" onClick={onDismiss}>
        Dismiss message
      </button>
    </p>
  );
}

/** Whether an embed shows the file. The file is then not shown again below the embed. */
function isInCard({ url }: PageFile, { embeds }: PageMessage): boolean {
  const pathOf = (link: string | undefined): string | undefined => link?.split('?', 1)[0];
  return embeds.some(({ image, thumbnail }) =>
    [image?.url, thumbnail?.url].map(pathOf).includes(pathOf(url)),
  );
}
