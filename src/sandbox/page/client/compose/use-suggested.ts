import { useEffect, useState } from 'preact/hooks';
import type { PageSuggestion } from '../../page-wire.ts';
import type { PageCommandOption } from '../../use-views.ts';
import { useChat } from '../store/use-chat.ts';
import type { CommandDraft } from './command-draft.ts';

const WAIT_MS = 150;

/** A command option, and the channel in which the command will run. */
export interface OptionPlace {
  readonly draft: CommandDraft;
  readonly option: PageCommandOption;
  readonly channelId: string;
}

/** The bot's suggestions for an option. */
export interface Suggested {
  /** The suggestions; undefined until the bot has answered. */
  readonly came?: readonly PageSuggestion[];
  /** The text for which the suggestions were requested. */
  readonly isFor?: string;
  readonly failed?: boolean;
}

/**
 * Requests the bot's suggestions for the typed text, shortly after the last keystroke. If `typed` is null, it makes no
 * request.
 */
export function useSuggested({ draft, option, channelId }: OptionPlace, typed: string | null): Suggested {
  const chat = useChat();
  const [suggested, setSuggested] = useState<Suggested>({});
  const guildId = chat.guild.value?.id;
  useEffect(() => {
    if (typed === null || guildId === undefined) return undefined;
    let isCurrent = true;
    const isNumber = option.type === 4 || option.type === 10;
    const { [option.name]: _own, ...options } = draft.options;
    const body = {
      command: `/${draft.line.path}`,
      in: channelId,
      option: option.name,
      typed: isNumber ? Number(typed) || 0 : typed,
      options,
    };
    const timer = setTimeout(() => {
      void chat
        .act<readonly PageSuggestion[]>(guildId, 'completes', body)
        .then((came) => isCurrent && setSuggested({ came, isFor: typed }))
        .catch(() => isCurrent && setSuggested({ failed: true }));
    }, WAIT_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [typed, guildId, channelId, draft, option]);
  return suggested;
}
