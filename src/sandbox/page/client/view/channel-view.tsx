import { Fragment } from 'preact';
import { useMemo } from 'preact/hooks';
import { ChannelDrafts } from '../compose/channel-drafts.ts';
import { Composer } from '../compose/composer.tsx';
import { useChat } from '../store/use-chat.ts';
import { VoicePanel } from '../voice/voice-panel.tsx';
import { iconOf } from './channel-column.tsx';
import type { DrawerName } from './drawer.tsx';
import { Icon } from '../parts/icon.tsx';
import { MessageList } from './message-list.tsx';

interface ChannelViewProps {
  readonly isNarrow: boolean;
  readonly onDrawer: (name: DrawerName) => void;
}

/** The shown channel: its header, its call if it is a voice channel, and its messages. */
export function ChannelView({ isNarrow, onDrawer }: ChannelViewProps) {
  const chat = useChat();
  const channel = chat.channel.value;
  const drafts = useMemo(() => new ChannelDrafts(), []);
  return (
    <main class="channel-view">
      <ChannelHead isNarrow={isNarrow} onDrawer={onDrawer} />
      {chat.live.status.value === 'again' && (
        <output class="lost">The connection was lost. Trying again ...</output>
      )}
      {channel && (channel.kind === 'voice' || channel.kind === 'stage') && <VoicePanel channel={channel} />}
      {!channel && (
        <p class="nothing quiet">
          {chat.guild.value
            ? 'There is no channel here that you may see. Try another server, or act as somebody else.'
            : 'What the bot writes to you in private comes here.'}
        </p>
      )}
      {channel && (
        <Fragment key={`${chat.me.value?.id} ${channel.id}`}>
          <MessageList channel={channel} />
          <Composer channel={channel} drafts={drafts} />
        </Fragment>
      )}
    </main>
  );
}

function ChannelHead({ isNarrow, onDrawer }: ChannelViewProps) {
  const chat = useChat();
  const channel = chat.channel.value;
  const { areMembersShown, isWireOpen } = chat.place;
  return (
    <header class="channel-head">
      {isNarrow && (
        <button
          type="button"
          class="icon"
          aria-label="Servers and channels"
          onClick={() => onDrawer('channels')}
        >
          <Icon name="menu" />
        </button>
      )}
      <h1>
        {channel && <Icon name={iconOf(channel.kind)} />}
        <span class="channel-name">{channel?.name ?? 'Nothing here yet'}</span>
      </h1>
      <SideButton
        icon="wire"
        label="Wire panel"
        isShown={isNarrow ? undefined : isWireOpen.value}
        onPress={() => onDrawer('wire')}
      />
      {chat.guild.value && (
        <SideButton
          icon="people"
          label="Members"
          isShown={isNarrow ? undefined : areMembersShown.value}
          onPress={() => onDrawer('members')}
        />
      )}
    </header>
  );
}

interface SideButtonProps {
  readonly icon: 'wire' | 'people';
  readonly label: string;
  /** Whether the column is shown; undefined if the button opens a drawer. */
  readonly isShown: boolean | undefined;
  readonly onPress: () => void;
}

/** A button that opens and closes a side column. */
function SideButton({ icon, label, isShown, onPress }: SideButtonProps) {
  return (
    <button
      type="button"
      class="icon"
      aria-label={label}
      title={label}
      aria-pressed={isShown}
      onClick={onPress}
    >
      <Icon name={icon} />
    </button>
  );
}
