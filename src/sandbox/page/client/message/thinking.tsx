import type { PageMessage } from '../../message-views.ts';
import { useChat } from '../store/use-chat.ts';
import { useNow } from '../parts/use-now.ts';

/**
 * Shown from the moment a bot acknowledges a command until it replies. After 15 minutes, the bot can no longer reply.
 */
export function Thinking({ message }: { readonly message: PageMessage }) {
  const chat = useChat();
  const now = useNow() + chat.clockAheadMs.value;
  if (now > (message.thinking_until_ms ?? 0)) return <p class="failed">The application did not respond</p>;
  return (
    <p class="thinking quiet">
      <span class="dots" aria-hidden="true" />
      {message.author.name} is thinking ...
    </p>
  );
}
