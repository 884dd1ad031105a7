import { useRef } from 'preact/hooks';
import type { PageChannel } from '../../page-views.ts';
import { useChat } from '../store/use-chat.ts';
import type { ChannelDrafts } from './channel-drafts.ts';
import { CommandDraft } from './command-draft.ts';
import { CommandEditor } from './command-editor.tsx';
import './compose.css';
import { MessageEditor } from './message-editor.tsx';

interface ComposerProps {
  readonly channel: PageChannel;
  readonly drafts: ChannelDrafts;
}

/** The area in which members write messages and, after a slash, commands. */
export function Composer({ channel, drafts }: ComposerProps) {
  const chat = useChat();
  const wasCommand = useRef(false);
  const sizeBytesMax = chat.guild.value?.file_size_max ?? 0;
  const { picks, command } = drafts.of(chat.me.value?.id ?? '', channel.id, sizeBytesMax);
  if (!channel.may.send && !channel.may.run_commands) {
    return <p class="composer read-only quiet">You may only read here.</p>;
  }
  const draft = command.value;
  if (!draft) {
    return (
      <MessageEditor
        channel={channel}
        picks={picks}
        isFocusedAtFirst={wasCommand.current}
        onCommand={(line) => {
          wasCommand.current = true;
          command.value = new CommandDraft(line, sizeBytesMax);
        }}
      />
    );
  }
  return (
    <div class="composer">
      <CommandEditor
        draft={draft}
        channel={channel}
        onDone={() => {
          if (command.value === draft) command.value = null;
          draft.clear();
        }}
      />
    </div>
  );
}
