import type { PageChannel } from '../../page-views.ts';
import { HOME } from '../store/place.ts';
import { useChat } from '../store/use-chat.ts';
import { Icon } from '../parts/icon.tsx';
import { initials } from '../parts/initials.ts';
import { UnreadMark } from './unread-mark.tsx';

/** One button for each server, and one for direct messages. */
export function ServerRail() {
  const chat = useChat();
  const here = chat.guild.value?.id ?? HOME;
  const isUnread = (channels: readonly PageChannel[]): boolean =>
    channels.some(({ id }) => chat.unread.channelIds.value.has(id));
  return (
    <ul class="server-rail">
      <li>
        <button
          type="button"
          class="server home"
          title="Direct messages"
          aria-current={here === HOME ? 'page' : undefined}
          onClick={() => chat.openGuild(HOME)}
        >
          <Icon name="mask" />
          <span class="hidden-visually">Direct messages</span>
          {isUnread(chat.directMessages.value) && <UnreadMark />}
        </button>
      </li>
      {chat.guilds.value.map((guild) => (
        <li key={guild.id}>
          <button
            type="button"
            class="server"
            title={guild.name}
            aria-current={here === guild.id ? 'page' : undefined}
            onClick={() => chat.openGuild(guild.id)}
          >
            <span aria-hidden="true">{initials(guild.name)}</span>
            <span class="hidden-visually">{guild.name}</span>
            {isUnread(guild.channels) && <UnreadMark />}
          </button>
        </li>
      ))}
    </ul>
  );
}
