import { useEffect, useState } from 'preact/hooks';
import type { PageSuggestion } from '../../page-wire.ts';
import type { PageCommandOption } from '../../use-views.ts';
import { useChat } from '../store/use-chat.ts';
import type { CommandDraft } from './command-draft.ts';

const WAIT_MS = 150;

/** An option of a command that is being filled in. */
export interface OptionPlace {
  readonly draft: CommandDraft;
  readonly option: PageCommandOption;
  readonly channelId: string;
}

/** What the bot suggests for an option. */
export interface Suggested {
  /** Undefined until the bot answered. */
  readonly came?: readonly PageSuggestion[];
  /** What was typed when they were asked for. */
  readonly isFor?: string;
  readonly failed?: boolean;
}

/** What the bot suggests for what was typed, a moment after the last key; null: nothing is asked. */
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
