import { useMemo, useRef } from 'preact/hooks';
import type { PageChannel } from '../../page-views.ts';
import { useCommands } from '../store/use-commands.ts';
import { useChat } from '../store/use-chat.ts';
import { type CommandLine, commandLines, fitting } from './command-line.ts';
import type { FilePicks } from './file-picks.ts';

/** The draft of a message. */
export interface MessageDraft {
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly picks: FilePicks;
  /** Whether the member is choosing a command. */
  readonly isPicking: boolean;
  /** The matching commands, or undefined until they are loaded. */
  readonly lines: readonly CommandLine[] | undefined;
  readonly send: () => Promise<void>;
}

/**
 * Returns the draft of a message in a channel, with `picks` as its files. Its text is kept until the message is sent.
 */
export function useMessageDraft(channel: PageChannel, picks: FilePicks): MessageDraft {
  const chat = useChat();
  const { place } = chat;
  const text = place.draftIn(channel.id);
  const setText = (typed: string): void => place.setDraftIn(channel.id, typed);
  const isPicking = text.startsWith('/') && !text.includes('\n') && channel.may.run_commands;
  const commands = useCommands(isPicking ? channel.id : null);
  const lines = useMemo(() => commands && fitting(commandLines(commands), text.slice(1)), [commands, text]);
  const isSending = useRef(false);
  const send = async (): Promise<void> => {
    if (channel.guild_id === null || isSending.current) return;
    if (picks.problem !== null) return chat.notices.show(picks.problem);
    const files = picks.inputs ?? [];
    if (text.trim() === '' && files.length === 0) return;
    isSending.current = true;
    setText('');
    const body = { content: text, in: channel.id, ...(files.length > 0 ? { files } : {}) };
    const isSent = await chat.try(chat.act(channel.guild_id, 'says', body));
    isSending.current = false;
    if (isSent) picks.clear();
    else if (place.draftIn(channel.id) === '') setText(text);
  };
  return { text, setText, picks, isPicking, lines, send };
}
