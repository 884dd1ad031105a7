import type { PageChannel } from '../../page-views.ts';
import { useChat } from '../store/use-chat.ts';
import { VoiceBar } from '../voice/voice-bar.tsx';
import { VoiceMembers } from '../voice/voice-members.tsx';
import { ActAs } from './act-as.tsx';
import { Icon } from '../parts/icon.tsx';
import { UnreadMark } from './unread-mark.tsx';

interface ChannelColumnProps {
  readonly onChosen: () => void;
}

/** The channels of the shown server, the member's own call, and the menu for the acting user. */
export function ChannelColumn({ onChosen }: ChannelColumnProps) {
  const chat = useChat();
  const guild = chat.guild.value;
  const channels = guild ? guild.channels : chat.directMessages.value;
  const isText = ({ kind }: PageChannel): boolean => kind === 'text' || kind === 'dm';
  return (
    <div class="channel-column">
      <header class="column-head">
        <h2>
          <span class="channel-name">{guild?.name ?? 'Direct messages'}</span>
        </h2>
      </header>
      <div class="channel-lists">
        <ChannelList
          title={guild ? 'Text channels' : 'From the bot'}
          channels={channels.filter(isText)}
          onChosen={onChosen}
        />
        {guild && (
          <ChannelList
            title="Voice channels"
            channels={channels.filter((channel) => !isText(channel))}
            onChosen={onChosen}
          />
        )}
        {channels.length === 0 && (
          <p class="quiet">
            {guild ? 'There is no channel that you may see.' : 'There are no messages yet.'}
          </p>
        )}
      </div>
      <VoiceBar />
      <ActAs />
    </div>
  );
}

interface ChannelListProps extends ChannelColumnProps {
  readonly title: string;
  readonly channels: readonly PageChannel[];
}

function ChannelList({ title, channels, onChosen }: ChannelListProps) {
  const chat = useChat();
  if (channels.length === 0) return null;
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <ul>
        {channels.map((channel) => (
          <li key={channel.id}>
            <button
              type="button"
              class={chat.unread.channelIds.value.has(channel.id) ? 'channel unread' : 'channel'}
              aria-current={chat.channel.value?.id === channel.id ? 'page' : undefined}
              onClick={() => {
                chat.openChannel(channel);
                onChosen();
              }}
            >
              <Icon name={iconOf(channel.kind)} />
              <span class="channel-name">{channel.name}</span>
              {chat.unread.channelIds.value.has(channel.id) && <UnreadMark />}
            </button>
            {channel.status !== null && (
              <p class="channel-status" title={channel.status}>
                {channel.status}
              </p>
            )}
            {channel.voice.length > 0 && <VoiceMembers channel={channel} />}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Returns the icon before a channel's name. */
export function iconOf(kind: PageChannel['kind']): 'hash' | 'speaker' | 'stage' | 'at' {
  if (kind === 'voice') return 'speaker';
  if (kind === 'stage') return 'stage';
  return kind === 'dm' ? 'at' : 'hash';
}
