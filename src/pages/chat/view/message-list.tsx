import type { PageChannel } from '../../../sandbox/page/page-views.ts';
import { useChat } from '../store/use-chat.ts';
import { Avatar } from './avatar.tsx';

/** A channel's messages, newest last. */
export function MessageList({ channel }: { readonly channel: PageChannel }) {
  const chat = useChat();
  // After a new beginning the messages are those of a new list.
  void chat.loadedFor.value;
  const { messages } = chat.messagesOf(channel.id).known.value;
  return (
    <ol class="message-list" aria-label={`Messages in ${channel.name}`}>
      {messages.map((message) => (
        <li key={message.id} class="message">
          <Avatar user={message.author} />
          <div>
            <p class="message-head">{message.author.name}</p>
            <p>{message.content}</p>
          </div>
        </li>
      ))}
    </ol>
  );
}
