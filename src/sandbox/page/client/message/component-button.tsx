import type { PageComponent, PageMessage } from '../../message-views.ts';
import { useChat } from '../store/use-chat.ts';
import { Icon } from '../parts/icon.tsx';
import { webLink } from './web-link.ts';

const STYLES: Readonly<Record<number, string>> = { 1: 'primary', 2: 'secondary', 3: 'success', 4: 'danger' };

interface ButtonProps {
  readonly component: PageComponent;
  readonly message: PageMessage;
}

/** A message's button. It is busy from a press until the bot has answered, unless it is a link. */
export function ComponentButton({ component, message }: ButtonProps) {
  const chat = useChat();
  const { custom_id: customId, style = 2, label, emoji, url, disabled } = component;
  const words = (
    <>
      {emoji?.name && <span aria-hidden={Boolean(label)}>{emoji.name}</span>}
      {label}
    </>
  );
  if (url !== undefined) {
    return (
      <a class="component link" href={webLink(url) ?? '#'} target="_blank" rel="noreferrer">
        {words}
        <Icon name="outside" />
      </a>
    );
  }
  const isBusy = chat.uses.known.value.some(
    (use) => use.state === 'waiting' && use.source_message_id === message.id && use.custom_id === customId,
  );
  return (
    <button
      type="button"
      class={`component ${STYLES[style] ?? 'secondary'}`}
      disabled={disabled === true || message.guild_id === null}
      aria-busy={isBusy}
      onClick={() => {
        if (isBusy || message.guild_id === null) return;
        const body = { button: customId, channel_id: message.channel_id, message_id: message.id };
        void chat.try(chat.act(message.guild_id, 'presses', body));
      }}
    >
      {words}
    </button>
  );
}
