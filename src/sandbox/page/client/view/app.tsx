import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { useNoStrayDrops } from '../compose/use-dropped-files.ts';
import { FormDialog } from '../form/form-dialog.tsx';
import { useChat } from '../store/use-chat.ts';
import { WirePanel } from '../wire/wire-panel.tsx';
import './app.css';
import { ChannelColumn } from './channel-column.tsx';
import { ChannelView } from './channel-view.tsx';
import { Drawer, type DrawerName } from './drawer.tsx';
import { MemberList } from './member-list.tsx';
import { NoticeStack } from './notice-stack.tsx';
import { ServerRail } from './server-rail.tsx';
import { useIsNarrow } from '../parts/use-is-narrow.ts';

/**
 * The whole page: servers, channels, the shown channel, members and the wire panel. On a phone, the side columns are
 * drawers.
 */
export function App() {
  const chat = useChat();
  const isNarrow = useIsNarrow();
  useNoStrayDrops();
  useTitle();
  const drawer = useSignal<DrawerName>(null);
  const { areMembersShown, isWireOpen } = chat.place;
  const form = chat.uses.form.value;
  if (!chat.me.value) return <Opening />;
  const close = (): void => {
    drawer.value = null;
  };
  const navigation = (
    <nav class="sides" aria-label="Servers and channels">
      <ServerRail />
      <ChannelColumn onChosen={close} />
    </nav>
  );
  const members = chat.guild.value && <MemberList guild={chat.guild.value} onChosen={close} />;
  return (
    <div class="app">
      {isNarrow ? null : navigation}
      <ChannelView
        isNarrow={isNarrow}
        onDrawer={(name) => {
          if (isNarrow) drawer.value = name;
          else if (name === 'members') areMembersShown.value = !areMembersShown.value;
          else if (name === 'wire') isWireOpen.value = !isWireOpen.value;
        }}
      />
      {!isNarrow && areMembersShown.value && members}
      {!isNarrow && isWireOpen.value && (
        <aside class="wire-side" aria-label="Wire panel">
          <WirePanel />
        </aside>
      )}
      {isNarrow && <OpenDrawer name={drawer.value} sides={{ navigation, members }} onClose={close} />}
      {form?.form && <FormDialog key={form.id} use={form} form={form.form} />}
      <NoticeStack />
    </div>
  );
}

interface OpenDrawerProps {
  readonly name: DrawerName;
  readonly sides: Readonly<Record<'navigation' | 'members', ComponentChildren>>;
  readonly onClose: () => void;
}

function OpenDrawer({ name, sides, onClose }: OpenDrawerProps) {
  switch (name) {
    case 'channels':
      return (
        <Drawer side="left" label="Servers and channels" onClose={onClose}>
          {sides.navigation}
        </Drawer>
      );
    case 'members':
      return (
        <Drawer side="right" label="Members" onClose={onClose}>
          {sides.members}
        </Drawer>
      );
    case 'wire':
      return (
        <Drawer side="right" label="Wire panel" onClose={onClose}>
          <WirePanel />
        </Drawer>
      );
    case null:
      return null;
  }
}

/** Shows the name of the current channel in the window's title. */
function useTitle(): void {
  const chat = useChat();
  const channel = chat.channel.value?.name;
  const guild = chat.guild.value?.name;
  useEffect(() => {
    document.title = [channel, guild, 'Masquerade chat'].filter(Boolean).join(' · ');
  }, [channel, guild]);
}

function Opening() {
  const { live } = useChat();
  return (
    <main class="opening">
      <h1>Masquerade chat</h1>
      <output>
        {live.status.value === 'again'
          ? 'The sandbox does not answer. This page comes back when its program runs.'
          : 'Opening the chat ...'}
      </output>
    </main>
  );
}
