import { useMemo } from 'preact/hooks';
import type { PageChannel } from '../../../sandbox/page/page-views.ts';
import { useCommands } from '../store/use-commands.ts';
import { useChat } from '../store/use-chat.ts';
import { type CommandLine, commandLines, fitting } from './command-line.ts';
import { FilePicks } from './file-picks.ts';

const FILES_MAX = 10;

/** A message that is being written. */
export interface MessageDraft {
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly picks: FilePicks;
  /** Whether a command is being looked for, and which fit. */
  readonly isPicking: boolean;
  readonly lines: readonly CommandLine[];
  readonly send: () => Promise<void>;
}

/** What the member types into a channel; it is kept until it is sent. */
export function useMessageDraft(channel: PageChannel, sizeBytesMax: number): MessageDraft {
  const chat = useChat();
  const { drafts } = chat.place;
  const key = `${chat.me.value?.id} ${channel.id}`;
  const text = drafts.value[key] ?? '';
  const setText = (typed: string): void => {
    const { [key]: _before, ...others } = drafts.value;
    drafts.value = typed === '' ? others : { ...others, [key]: typed };
  };
  const picks = useMemo(() => new FilePicks({ max: FILES_MAX, sizeBytesMax }), [sizeBytesMax]);
  const isPicking = text.startsWith('/') && !text.includes('\n') && channel.may.run_commands;
  const commands = useCommands(isPicking ? channel.id : null);
  const lines = useMemo(() => fitting(commandLines(commands), text.slice(1)), [commands, text]);
  const send = async (): Promise<void> => {
    const files = picks.inputs;
    if (channel.guild_id === null || !files || (text.trim() === '' && files.length === 0)) return;
    setText('');
    const body = { content: text, in: channel.id, ...(files.length > 0 ? { files } : {}) };
    if (await chat.try(chat.act(channel.guild_id, 'says', body))) picks.clear();
    else setText(text);
  };
  return { text, setText, picks, isPicking, lines, send };
}
