import type { PageMessage } from '../../message-views.ts';
import { copyText } from '../live/copy-text.ts';
import type { MenuEntry } from '../menu/context-menu.tsx';
import { useCommands } from '../store/use-commands.ts';
import { useChat } from '../store/use-chat.ts';

interface MessageMenu {
  readonly entries: readonly MenuEntry[];
  readonly commands: readonly MenuEntry[];
  readonly isLoading: boolean;
}

/** Returns the actions for a message. The bot's commands are requested when the menu opens. */
export function useMessageMenu(message: PageMessage, isOpen: boolean, onDismiss: () => void): MessageMenu {
  const chat = useChat();
  const asksFor = isOpen && message.guild_id !== null && !message.ephemeral ? message.channel_id : null;
  const commands = useCommands(asksFor);
  const { guild_id: guildId, channel_id: channelId, id } = message;
  if (!isOpen) return { entries: [], commands: [], isLoading: false };
  const mayDelete =
    guildId !== null &&
    !message.ephemeral &&
    (message.author.id === chat.me.value?.id || chat.channel.value?.may.delete_messages);
  const entries: MenuEntry[] = [];
  const text = message.content;
  if (text !== '') {
    entries.push({ label: 'Copy text', act: () => void chat.try(copyText(text)) });
  }
  if (message.ephemeral) entries.push({ label: 'Dismiss message', act: onDismiss });
  if (mayDelete) {
    const act = (): void =>
      void chat.try(chat.act(guildId, 'deletes', { channel_id: channelId, message_id: id }));
    entries.push({ label: 'Delete message', isDangerous: true, act });
  }
  const ofMessages = (commands ?? [])
    .filter(({ kind }) => kind === 'message')
    .map(({ name }) => ({
      label: name,
      act: () => void chat.try(chat.act(guildId ?? '', 'runs-on', { name, in: channelId, message_id: id })),
    }));
  return { entries, commands: ofMessages, isLoading: asksFor !== null && !commands };
}
