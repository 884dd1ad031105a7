import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Chat } from './chat.ts';

export const ChatContext = createContext<Chat | null>(null);

/** Returns the chat that the page shows. */
export function useChat(): Chat {
  const chat = useContext(ChatContext);
  if (!chat) throw new TypeError('Cannot use the chat outside of its page');
  return chat;
}
