import type { PageMessage } from '../../message-views.ts';
import { Avatar } from '../parts/avatar.tsx';
import { useChat } from '../store/use-chat.ts';

/** The line above a message: the use of the bot that caused the message, or the message to which it replies. */
export function MessageOrigin({ message: { used, reply_to: answered } }: { readonly message: PageMessage }) {
  const chat = useChat();
  if (answered) {
    return (
      <p class="origin small quiet">
        {answered.author ? (
          <>
            <Avatar user={answered.author} size="tiny" />
            <strong>{answered.author.name}</strong>
            <span class="origin-text">
              {plain(answered.text, (id) => chat.member(id)?.name) || (answered.has_files ? 'A file' : '')}
            </span>
          </>
        ) : (
          <span class="origin-text">The message that this answers is gone</span>
        )}
      </p>
    );
  }
  if (!used || used.command === null) return null;
  return (
    <p class="origin small quiet">
      <Avatar user={used.by} size="tiny" />
      <strong>{used.by.name}</strong>
      <span class="origin-text">
        used <span class="used-command">{shownName(used.command)}</span>
      </span>
    </p>
  );
}

/** Chat command names have no capitals and are shown with a slash. Names of context menu commands have capitals. */
function shownName(command: string): string {
  return command === command.toLowerCase() ? `/${command}` : command;
}

function plain(text: string, nameOf: (userId: string) => string | undefined): string {
  return text
    .replace(/<@!?(\d+)>/g, (_mention, id: string) => `@${nameOf(id) ?? 'unknown'}`)
    .replace(/<t:[^>]*>/g, '')
    .replace(/[*_`~|#>]+/g, '')
    .trim();
}
