import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { PageChannel } from '../../../sandbox/page/page-views.ts';
import { useChat } from '../store/use-chat.ts';
import { CommandDraft } from './command-draft.ts';
import { CommandEditor } from './command-editor.tsx';
import './compose.css';
import { MessageEditor } from './message-editor.tsx';

/** Where messages are written and, behind a slash, commands. */
export function Composer({ channel }: { readonly channel: PageChannel }) {
  const chat = useChat();
  const command = useSignal<CommandDraft | null>(null);
  const wasCommand = useRef(false);
  const sizeBytesMax = chat.guild.value?.file_size_max ?? 0;
  if (!channel.may.send && !channel.may.run_commands) {
    return <p class="composer read-only quiet">You may only read here.</p>;
  }
  const draft = command.value;
  if (!draft) {
    return (
      <MessageEditor
        channel={channel}
        sizeBytesMax={sizeBytesMax}
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
        }}
      />
    </div>
  );
}
